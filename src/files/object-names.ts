const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new name for bytes of a workspace. The same bytes get another name each time, so that deleting one object harms no other. */
export const newObjectName = (workspaceId: string, hash: string): string => {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => BASE32[byte & 31]).join('')
  return `${workspaceId}/${hash.slice(0, 2)}/${hash}-${random}`
}

/** A name for an object that is written only to see whether that works. */
export const newCheckName = (): string => `check/${crypto.randomUUID()}`

const OURS = new RegExp(`^(?:ws_[0-7][${BASE32}]{25}/[0-9a-f]{2}/[0-9a-f]{64}-[${BASE32}]{8}|check/[0-9a-f-]{36})$`)

/** Whether an object has a name that was made here. Others may keep files in the same bucket or folder; they are never deleted. */
export const isOurObject = (object: string): boolean => OURS.test(object)
