import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import type { Config } from '../config'
import { type Environment, settingNames } from '../config/environment'
import { defaultFilesUrl } from '../config/values'
import { StartError } from '../domain/start-error'
import { folderOf, openStorage } from '../files/open'
import { type Log, openLog } from '../log'
import { within } from '../metrics'
import { suggest } from './command'
import { reasonOf } from './files'

/** A network file system that hangs must not keep the server down. */
const CHECK_MS = 5_000
/** Misspelled by more than that, a variable is probably meant for another program. */
const MAX_TYPOS = 2
const MIN_NAME = 8

/** Variables in `.env` that only the compose files read. */
export const ofCompose = ['PARLEY_ADDRESS', 'PARLEY_PORT', 'PARLEY_COMMIT', 'POSTGRES_PASSWORD']
/** Variables that Bun, Compose and their libraries read. */
const OF_OTHERS =
  /^(?:AWS|BUN|COMPOSE|DOCKER|LC|NODE)_|^(?:LANG|NO_COLOR|PATH|SSL_CERT_(?:DIR|FILE)|TMPDIR|TZ|(?:ALL|HTTPS?|NO)_PROXY)$/i

/** Errors that stay until someone changes the settings or the folder; others, such as a full disk, may pass. */
const MISTAKES = new Set(['EACCES', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS'])

/** Looks for mistakes in the settings that would be noticed only later. Why some end the start: decision 40. */
export async function checkStart(config: Config): Promise<void> {
  const log = openLog({ level: config.logLevel, format: config.logFormat })
  for (const warning of findUnknownSettings(process.env)) log.warn(warning)
  if (config.filesUrl.startsWith('s3:')) void checkBucket(config, log)
  else await checkFolder(config, log)
  log.flush()
}

/** One sentence about unknown settings in `.env`, and one about unknown settings in the environment. */
export function findUnknownSettings(env: Environment): string[] {
  const inFile = namesInFile()
  const known = new Set(settingNames)
  const inEnvironment = Object.keys(env).filter((name) => name.length >= MIN_NAME && !inFile.includes(name))
  const unknown = (names: readonly string[], maxDistance?: number) =>
    names
      .filter((name) => !known.has(name) && !ofCompose.includes(name) && !OF_OTHERS.test(name))
      .map((name) => ({ name, near: suggest(name.toUpperCase(), settingNames, maxDistance) }))
  return [
    ...describe('The file .env', unknown(inFile)),
    ...describe(
      'The environment',
      unknown(inEnvironment, MAX_TYPOS).filter(({ near }) => near),
    ),
  ]
}

/** Bun reads this file; it does not say what it found. */
function namesInFile(): string[] {
  try {
    return Object.keys(parseEnv(readFileSync('.env', 'utf8')))
  } catch {
    return []
  }
}

function describe(where: string, unknown: readonly { name: string; near?: string | undefined }[]): string[] {
  if (unknown.length === 0) return []
  const named = unknown.map(({ name, near }) => (near ? `${name} (did you mean ${near}?)` : name))
  return [`${where} contains unknown settings, which are ignored: ${named.join(', ')}.`]
}

async function checkFolder(config: Config, log: Log) {
  const folder = folderOf(config.filesUrl)
  const isBesideDatabase =
    config.databaseUrl.startsWith('sqlite:') && config.filesUrl === defaultFilesUrl(config.databaseUrl)
  // SQLite creates the folder that both are in, or says why it cannot be written.
  if (isBesideDatabase && !canWrite(dirname(folder))) return
  try {
    await within(CHECK_MS, openStorage(config).check())
  } catch (error) {
    const { code, reason } = reasonOf((error as Error).cause ?? error)
    if (!MISTAKES.has(code)) return warn(log, config, reason)
    throw new StartError(
      `FILES_URL: uploaded files cannot be written to ${folder}: ${reason}. Set it to a folder that the user who runs Parley can write to.`,
    )
  }
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A bucket that is briefly away must not keep the server down, so nobody waits for it. */
const checkBucket = (config: Config, log: Log) =>
  openStorage(config)
    .check()
    .catch((error: Error) => {
      warn(log, config, error.message.replace(/\.$/, ''))
      log.flush()
    })

const warn = (log: Log, { filesUrl }: Config, reason: string) =>
  log.warn(
    `Uploaded files cannot be written to ${filesUrl}: ${reason}. Uploads are refused until this is fixed; \`parley doctor\` checks it.`,
  )
