import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Vault } from '../domain/vault'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM: what was altered, or sealed with another key, does not open. */
export function openVault(key: string): Vault {
  const bytes = createHash('sha256').update(`parley vault ${key}`).digest()
  return {
    seal(secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed) {
      const all = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', bytes, all.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(all.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return decipher.update(all.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
