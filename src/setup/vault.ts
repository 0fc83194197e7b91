import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import type { Vault } from '../domain/secrets'

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
