import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, readConfig } from '../config'
import { checkUp } from '../setup/check-up'
import { type Finding, well, wrong } from '../store/engines/finding'
import { StartError } from '../store/engines/start-error'
import { openEngine } from '../store/open'
import type { Command } from './command'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check settings, database and everything that is counted; say what to do.',
  details:
    'Exit code 0 when all is well, else 1. Works while the server runs; counting takes a while on large databases.',
  options: {
    full: { type: 'boolean', help: 'Also read every row and every index, looking for damage.' },
  },
  async run({ flags }) {
    let faults = 0
    for await (const finding of examine(flags.has('full'))) {
      console.log(lineOf(finding))
      if (!finding.isWell) faults += 1
    }
    console.log(faults === 0 ? '\nAll is well.' : `\n${faults} to put right.`)
    process.exitCode = faults === 0 ? 0 : 1
  },
}

async function* examine(isFull: boolean): AsyncGenerator<Finding> {
  const config = readSettings()
  if (Array.isArray(config)) return yield* config
  yield well('settings', 'all understood')
  yield checkPublicUrl(config)

  const file = config.databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  if (file && !existsSync(resolve(file)))
    return yield wrong(
      'database',
      `there is no file ${resolve(file)} yet`,
      'Start the server once, or set DATABASE_URL.',
    )
  yield* examineDatabase(config, isFull)
}

async function* examineDatabase(config: Config, isFull: boolean): AsyncGenerator<Finding> {
  try {
    const engine = openEngine(config.databaseUrl, { poolSize: 2 })
    try {
      yield* checkUp(engine, config, Date.now(), isFull)
    } finally {
      await engine.close()
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    yield wrong('database', error.message, 'See the message; nothing else was checked.')
  }
}

/** The settings, or what is wrong with each. */
function readSettings(): Config | Finding[] {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return error.message
      .split('\n')
      .map((line) => wrong('settings', line, 'Change the environment variable; `parley serve --help` lists them all.'))
  }
}

function checkPublicUrl({ publicUrl, port }: Config): Finding {
  if (!publicUrl)
    return well('PUBLIC_URL', `not set, so links say http://localhost:${port}; set it where others are to open them`)
  const { protocol, hostname } = new URL(publicUrl)
  if (['0.0.0.0', '[::]'].includes(hostname))
    return wrong('PUBLIC_URL', `${publicUrl} is no address a browser can open`, 'Set it to what people type.')
  const isLocal = hostname === 'localhost' || !hostname.includes('.') || /^[\d.]+$/.test(hostname)
  return protocol === 'http:' && !isLocal
    ? wrong('PUBLIC_URL', `${publicUrl} is not encrypted`, 'Put a proxy with a certificate before it; use https.')
    : well('PUBLIC_URL', publicUrl)
}

const lineOf = ({ what, isWell, says, advice }: Finding) =>
  isWell ? `✓ ${what}: ${says}` : `✗ ${what}: ${says.replace(/\.$/, '')}. → ${advice}`
