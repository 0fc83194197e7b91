import { StartError } from '../domain/start-error'
import type { Reader } from '../store/engines/db'
import type { Engine } from '../store/engines/engine'
import { findFingerprint, listEncryptedSecrets, setFingerprint } from '../store/secret-key'
import { findSecretKey, type KeySettings, keyFileOf } from './secret-key'
import { openVault } from './vault'

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
