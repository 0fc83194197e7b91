import type { Reader } from '../store/db'
import type { Engine } from '../store/engines/engine'
import { StartError } from '../store/engines/start-error'
import { findFingerprint, listEncryptedSecrets, setFingerprint } from '../store/secret-key'
import { findSecretKey, type KeySettings, keyFileOf } from './secret-key'
import { openVault } from './vault'

/** Whether the secret key there is opens what is encrypted in the database. */
export interface KeyCheck {
  /** `unneeded`: there is no key, and nothing that needs one. */
  status: 'right' | 'wrong' | 'missing' | 'unneeded'
  /** Webhooks whose secrets it does not open. */
  unreadable: { key: number; workspace_slug: string }[]
  /** Of the key there is, and of the one the database was used with last. */
  fingerprint?: string
  noted?: string
}

/**
 * A key is right if it opens every secret. Where it does not, it is still the right one if it is the one the database
 * was used with last, or, as long as none was noted, if it opens some: the others are left from a key before it.
 */
export async function checkKey(db: Reader, settings: KeySettings): Promise<KeyCheck> {
  const [noted, secrets] = [await findFingerprint(db), await listEncryptedSecrets(db)]
  const found = findSecretKey(settings)
  if (!found) return { status: secrets.length > 0 ? 'missing' : 'unneeded', unreadable: secrets, noted }
  const vault = openVault(found.key)
  const unreadable = secrets.filter(({ secret }) => !opens(vault, secret))
  const { fingerprint } = vault
  const opensSome = unreadable.length < secrets.length
  const isRight = unreadable.length === 0 || noted === fingerprint || (noted === undefined && opensSome)
  return { status: isRight ? 'right' : 'wrong', unreadable, fingerprint, noted }
}

function opens(vault: ReturnType<typeof openVault>, secret: string): boolean {
  try {
    vault.open(secret)
    return true
  } catch {
    return false
  }
}

/** Refuses to start with a key that opens nothing, and notes the right one. Returns what an operator should hear. */
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
  const { fingerprint, noted, unreadable } = check
  if (fingerprint && fingerprint !== noted) await engine.write((db) => setFingerprint(db, fingerprint))
  return [
    ...(noted && fingerprint !== noted && settings.secretKey ? [KEY_CHANGED] : []),
    ...(unreadable.length > 0 ? [`${unreadableText(unreadable.length)} ${NEW_SECRETS}`] : []),
  ]
}

export const KEY_NEEDED = 'SECRET_KEY is not set. It is needed for webhooks: their secrets are encrypted with it.'
const KEY_CHANGED = 'SECRET_KEY is not the one that was used before. Every node needs the same one.'
export const NEW_SECRETS = 'Give them new secrets, or delete them.'

export const unreadableText = (count: number) =>
  count === 1
    ? 'The secret of 1 webhook was encrypted with another secret key, so nothing can be sent to it.'
    : `The secrets of ${count} webhooks were encrypted with another secret key, so nothing can be sent to them.`

/** What is wrong with the key, and what to do. */
export function explainKey({ status, unreadable }: KeyCheck, settings: KeySettings): { fault: string; advice: string } {
  const file = settings.secretKey ? undefined : keyFileOf(settings)
  const encrypted =
    unreadable.length === 1
      ? 'the secret of 1 webhook is encrypted with'
      : `the secrets of ${unreadable.length} webhooks are encrypted with`
  const lost = 'run `parley key reset`: it disables these webhooks until they get new secrets.'
  const advice = file
    ? `Put the file back, for instance from a backup, or set SECRET_KEY to what it was. If the key is lost, ${lost}`
    : `Set it to what it was. If that is lost, set a new one and ${lost}`
  if (status === 'wrong')
    return { fault: `${file ? `The key in ${file}` : 'SECRET_KEY'} is not the one that ${encrypted}.`, advice }
  return {
    fault: file
      ? `SECRET_KEY is not set and there is no file ${file}, but ${encrypted} the key.`
      : `SECRET_KEY is not set, but ${encrypted} it.`,
    advice,
  }
}
