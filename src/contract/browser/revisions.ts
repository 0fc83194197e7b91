/** The digits of the numbers in ids, in the order of their values, so that ids sort as their numbers do. */
export const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Undefined if it is no number that JavaScript can hold. */
export function decode(digits: string): number | undefined {
  let number = 0
  for (const digit of digits) {
    const value = DIGITS.indexOf(digit)
    if (value < 0) return undefined
    number = number * 32 + value
  }
  return Number.isSafeInteger(number) ? number : undefined
}

const REVISION_DIGITS = 13

/** The revision of the workspace that an event made. */
export const revisionOfEvent = (id: string): number => decode(id.slice(4, 4 + REVISION_DIGITS)) ?? 0

/** The revision of the workspace that a response is as of, by its ETag: it includes all events up to this one. */
export const revisionOfEtag = (etag: string | null): number =>
  Number.parseInt(etag?.match(/"([0-9a-z]+)\./)?.[1] ?? '', 36) || 0
