/** A new secret. It is shown once; only its hash is stored. */
export const newSecret = (): string =>
  `parley_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`

/** Whether a text has the form of such a secret. */
export const isSecret = (text: string): boolean => /^parley_[\w-]{43}$/.test(text)

export const hashSecret = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

/** A secret that signs the deliveries of a webhook, in the format of Standard Webhooks. */
export const newWebhookSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`

/**
 * The token of a session's pages at one time: the same for all of them, and known to nobody without the session's secret.
 * It is looked up by its hash like any other, so it works only while the session is there.
 */
export const pageSecret = (session: string, period: number): string =>
  `parley_${new Bun.CryptoHasher('sha256', session).update(`page ${period}`).digest('base64url')}`

/** Encrypts secrets that are needed in plain text later, such as the signing secrets of webhooks. */
export interface Vault {
  seal(secret: string): string
  open(sealed: string): string
  /** Tells this key from others, and nothing about it. */
  readonly fingerprint: string
}
