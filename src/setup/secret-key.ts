import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Vault } from '../domain/secrets'
import { StartError } from '../domain/start-error'
import { openVault } from './vault'

export interface KeySettings {
  secretKey: string | undefined
  databaseUrl: string
}

/** A key, and the file it is in; without a file, it comes from SECRET_KEY. */
export interface SecretKey {
  key: string
  file?: string
}

/**
 * Encrypts secrets with SECRET_KEY or, on SQLite, with a key in a file next to the database, created when first needed.
 * Several nodes must share a key, so on PostgreSQL the operator has to set it.
 */
export function vaultFor(settings: KeySettings): Vault | undefined {
  const { secretKey } = settings
  if (secretKey) return openVault(secretKey)
  const file = keyFileOf(settings)
  return file === undefined ? undefined : openVault(() => readKey(file) ?? createKey(file))
}

/** The current key, without creating one. */
export function findSecretKey(settings: KeySettings): SecretKey | undefined {
  if (settings.secretKey) return { key: settings.secretKey }
  const file = keyFileOf(settings)
  const key = file && readKey(file)
  return key ? { key, file } : undefined
}

/** The file of the key if SECRET_KEY is not set; undefined on PostgreSQL. */
export const keyFileOf = ({ databaseUrl }: Pick<KeySettings, 'databaseUrl'>): string | undefined =>
  databaseUrl.startsWith('sqlite:')
    ? join(dirname(resolve(databaseUrl.slice('sqlite:'.length))), 'secret.key')
    : undefined

export function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === 'ENOENT') return undefined
    throw new StartError(`Cannot read the secret key in ${file}: ${message}.`)
  }
}

/** Creates a key atomically: concurrent callers all get the same one. */
function createKey(file: string): string {
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
  const unfinished = `${file}.${process.pid}`
  try {
    writeFileSync(unfinished, `${key}\n`, { mode: 0o600 })
    linkSync(unfinished, file)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== 'EEXIST') throw new StartError(`Cannot create the secret key ${file}: ${message}.`)
  } finally {
    rmSync(unfinished, { force: true })
  }
  return readKey(file)!
}
