import { createECDH } from 'node:crypto'
import { findPushKeys, insertPushKeys, replacePushKeys } from '../store/attention/push'
import type { Parley } from './parley'

/** The VAPID key pair of this server. */
export interface PushKeys {
  /** Both base64url: a point of P-256, uncompressed, and its number. */
  publicKey: string
  privateKey: string
}

/**
 * The keys that pushes are signed with, made when there are none. Keys that were encrypted with another secret key are of
 * no use: new ones are made, and browsers subscribe again. Undefined where the operator gave no key.
 */
export async function getPushKeys({ engine, vault }: Pick<Parley, 'engine' | 'vault'>): Promise<PushKeys | undefined> {
  if (!vault) return undefined
  const stored = await engine.read(findPushKeys)
  const known = stored && openKeys(stored)
  if (known) return known
  const made = newKeys()
  const sealed = { public_key: made.publicKey, private_key: vault.seal(made.privateKey) }
  if (stored) await engine.write((db) => replacePushKeys(db, stored.public_key, sealed))
  else await engine.write((db) => insertPushKeys(db, sealed))
  return openKeys((await engine.read(findPushKeys))!)

  function openKeys({ public_key, private_key }: { public_key: string; private_key: string }): PushKeys | undefined {
    try {
      return { publicKey: public_key, privateKey: vault!.open(private_key) }
    } catch {
      return undefined
    }
  }
}

function newKeys(): PushKeys {
  const pair = createECDH('prime256v1')
  return { publicKey: pair.generateKeys('base64url'), privateKey: pair.getPrivateKey('base64url') }
}
