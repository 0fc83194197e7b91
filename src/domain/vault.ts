/** Encrypts secrets that are needed in plain text later, such as the signing secrets of webhooks. */
export interface Vault {
  seal(secret: string): string
  open(sealed: string): string
  /** Tells this key from others, and nothing about it. */
  readonly fingerprint: string
}
