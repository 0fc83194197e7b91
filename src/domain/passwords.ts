/** OWASP's choice for argon2id: 19 MiB, two passes. */
const HOW = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** What is stored of a password. Off the main thread. */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password.normalize('NFC'), HOW)

/** The hash of a password nobody has, so that refusing takes as long for those who have none. */
let nobodys: Promise<string> | undefined

export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  nobodys ??= hashPassword(crypto.randomUUID())
  const isRight = await Bun.password.verify(password.normalize('NFC'), hash ?? (await nobodys))
  return isRight && hash !== undefined
}
