import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Vault } from '../domain/secrets'
import { StartError } from '../domain/start-error'
import type { Reader } from '../store/engines/db'
import type { Engine } from '../store/engines/engine'
import { findFingerprint, listEncryptedSecrets, setFingerprint } from '../store/people/workspaces'

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

const NONCE_BYTES = 12
const TAG_BYTES = 16
const FINGERPRINT_LENGTH = 32

/**
 * Encrypts with AES-256-GCM: decryption fails if the text was altered or encrypted with another key. A key given as a
 * function is read when first needed.
 */
export function openVault(key: string | (() => string)): Vault {
  let known: Buffer | undefined
  const bytes = () => {
    known ??= createHash('sha256')
      .update(`parley vault ${typeof key === 'string' ? key : key()}`)
      .digest()
    return known
  }
  return {
    seal(secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', bytes(), nonce)
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed) {
      const all = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', bytes(), all.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(all.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return decipher.update(all.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
    get fingerprint() {
      return createHmac('sha256', bytes()).update('fingerprint').digest('hex').slice(0, FINGERPRINT_LENGTH)
    },
  }
}

/** Whether the secret key decrypts the secrets in the database. */
export interface KeyCheck {
  /** `unneeded`: there is no key, and no secret that needs one. */
  status: 'right' | 'wrong' | 'missing' | 'unneeded'
  /** Webhooks whose secrets it does not decrypt. */
  unreadable: { key: number; workspace_slug: string }[]
  /** Of the current key, and of the one the database was last used with. */
  fingerprint?: string
  recorded?: string
}

/**
 * A key is right if it decrypts every secret, or if it is the one the database was last used with, or, if that is not
 * recorded, if it decrypts some secrets: then the others are left from an earlier key.
 */
export async function checkKey(db: Reader, settings: KeySettings): Promise<KeyCheck> {
  const [recorded, secrets] = [await findFingerprint(db), await listEncryptedSecrets(db)]
  const found = findSecretKey(settings)
  if (!found) return { status: secrets.length > 0 ? 'missing' : 'unneeded', unreadable: secrets, recorded }
  const vault = openVault(found.key)
  const unreadable = secrets.filter(({ secret }) => !opens(vault, secret))
  const { fingerprint } = vault
  const opensSome = unreadable.length < secrets.length
  const isRight = unreadable.length === 0 || recorded === fingerprint || (recorded === undefined && opensSome)
  return { status: isRight ? 'right' : 'wrong', unreadable, fingerprint, recorded }
}

function opens(vault: ReturnType<typeof openVault>, secret: string): boolean {
  try {
    vault.open(secret)
    return true
  } catch {
    return false
  }
}

/** Refuses to start with a wrong key, and records the right one. Returns warnings for the operator. */
export async function prepareKey(engine: Engine, settings: KeySettings, makeKey: () => void): Promise<string[]> {
  const check = await engine.read((db) => checkKey(db, settings))
  if (check.status === 'missing' || check.status === 'wrong') {
    const { fault, advice } = explainKey(check, settings)
    throw new StartError(`${fault} ${advice}`)
  }
  if (check.status === 'unneeded') {
    if (!keyFileOf(settings)) return [KEY_NEEDED]
    makeKey()
    return prepareKey(engine, settings, () => {})
  }
  const { fingerprint, recorded, unreadable } = check
  if (fingerprint && fingerprint !== recorded) await engine.write((db) => setFingerprint(db, fingerprint))
  return [
    ...(recorded && fingerprint !== recorded && settings.secretKey ? [KEY_CHANGED] : []),
    ...(unreadable.length > 0 ? [`${unreadableText(unreadable.length)} ${NEW_SECRETS}`] : []),
  ]
}

export const KEY_NEEDED = 'SECRET_KEY is not set. Webhooks need it to encrypt their secrets.'
const KEY_CHANGED = 'SECRET_KEY has changed. All nodes must use the same key.'
export const NEW_SECRETS = 'Give them new secrets, or delete them.'

export const unreadableText = (count: number) =>
  count === 1
    ? 'The secret of 1 webhook was encrypted with another secret key, so nothing can be delivered to it.'
    : `The secrets of ${count} webhooks were encrypted with another secret key, so nothing can be delivered to them.`

/** What is wrong with the key, and how to fix it. */
export function explainKey({ status, unreadable }: KeyCheck, settings: KeySettings): { fault: string; advice: string } {
  const file = settings.secretKey ? undefined : keyFileOf(settings)
  const encrypted =
    unreadable.length === 1
      ? 'the secret of 1 webhook is encrypted with'
      : `the secrets of ${unreadable.length} webhooks are encrypted with`
  const lost = 'run `parley key reset`, which disables these webhooks until they get new secrets.'
  const advice = file
    ? `Restore the file, for example from a backup, or set SECRET_KEY to its content. If the key is lost, ${lost}`
    : `Set it to the previous key. If that is lost, set a new one and ${lost}`
  if (status === 'wrong')
    return { fault: `${file ? `The key in ${file}` : 'SECRET_KEY'} is not the key that ${encrypted}.`, advice }
  return {
    fault: file
      ? `SECRET_KEY is not set and there is no file ${file}, but ${encrypted} the key.`
      : `SECRET_KEY is not set, but ${encrypted} it.`,
    advice,
  }
}
