const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix =
  | 'post'
  | 'cmt'
  | 'chan'
  | 'thr'
  | 'msg'
  | 'mem'
  | 'user'
  | 'group'
  | 'app'
  | 'tok'
  | 'ses'
  | 'link'
  | 'inv'
  | 'ws'
  | 'req'
  | 'wh'
  | 'hook'
  | 'dlv'
  | 'ping'
  | 'mail'
  | 'inb'
  | 'file'

/** A TypeID: the kind of thing, then a UUIDv7 in Crockford's base 32. Sorts by the time it was made. */
export const newId = (prefix: IdPrefix, now: number): string => typeId(prefix, Bun.randomUUIDv7('buffer', now))

const TYPE_ID = new RegExp(`^[a-z]{2,5}_[0-7][${ALPHABET}]{25}$`)

/** Whether a text is an id of any kind. No cursor is. */
export const isTypeId = (text: string): boolean => TYPE_ID.test(text)

const TIME_DIGITS = 10

/** When an id was made, in milliseconds: the first 48 bits of its UUIDv7. 0 for what is not an id. */
export const timeOfId = (id: string): number =>
  isTypeId(id)
    ? [...id.slice(id.indexOf('_') + 1).slice(0, TIME_DIGITS)].reduce(
        (time, digit) => time * 32 + ALPHABET.indexOf(digit),
        0,
      )
    : 0

const letters = Buffer.from(ALPHABET, 'latin1')
const digits = Buffer.alloc(26)

/** The TypeID of 16 given bytes. */
export function typeId(prefix: IdPrefix, bytes: Uint8Array): string {
  // 26 digits of 5 bits hold 130 bits: the first digit carries only the top 3 of the 128.
  digits[0] = letters[bytes[0]! >> 5]!
  let bits = bytes[0]! & 31
  let count = 5
  let next = 1
  for (let digit = 1; digit < 26; digit++) {
    if (count < 5) {
      bits = (bits << 8) | bytes[next++]!
      count += 8
    }
    count -= 5
    digits[digit] = letters[(bits >> count) & 31]!
    bits &= (1 << count) - 1
  }
  return `${prefix}_${digits.toString('latin1')}`
}
