/** A new secret: said once, stored only as its hash. */
export const newSecret = (): string =>
  `parley_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`

export const hashSecret = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

/** What signs the deliveries of a webhook, as Standard Webhooks writes it. */
export const newWebhookSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`
