/** As OWASP recommends for argon2id: 19 MiB, two passes. */
const ARGON2_OPTIONS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Hashes a password for storage, off the main thread. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password.normalize('NFC'), ARGON2_OPTIONS)

/** Checked if there is no password, so that the response takes as long as for a wrong one. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$vJCdvLdTHyZBjAtXtEypFnrEm32qPGtU89NyZQH7OL4$z644DB0XitN1ZcxWtjrrQ4mOEc8VBztQBIUl6kpIJhc'

export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const isRight = await Bun.password.verify(password.normalize('NFC'), hash ?? DUMMY_HASH)
  return isRight && hash !== undefined
}

/** How a caller proved to be allowed to change the password. */
export type PasswordProof = 'knows it' | 'signed in just now' | 'none'

interface Opening {
  members: readonly { author_key: number }[]
}

/** Whether a password signs this member in. */
export const opensFor = ({ members }: Opening, authorKey: number): boolean =>
  members.some(({ author_key }) => author_key === authorKey)

/**
 * Whether a person's password may be replaced from one workspace. Admins make sign-in links for anyone's address in their
 * own workspace, so a session alone must not change what opens another one: for that, one has to know the password.
 */
export function canReplacePassword(
  password: Opening & { hash: string | undefined },
  authorKey: number,
  proof: PasswordProof,
): boolean {
  if (password.hash === undefined || proof === 'knows it') return true
  return proof === 'signed in just now' && password.members.every(({ author_key }) => author_key === authorKey)
}
