/** Keeps secrets that must be said again, such as what signs a webhook: encrypted, with a key that is not beside them. */
export interface Vault {
  seal(secret: string): string
  open(sealed: string): string
  /** Tells this key from others, and nothing about it. */
  readonly fingerprint: string
}
