import type { TSchema } from 'typebox'
import type { InputError } from '../../contract/errors'

const MAX_NAMES = 10
const MAX_NAME_LENGTH = 100
const MAX_FORMATTED = 1_000

/** The names that are not known, each as what is wrong with it; a few of them, however many there are. */
export function unknownNames(
  part: InputError['in'],
  names: Iterable<string>,
  known: object,
  message: (name: string) => string,
): InputError[] {
  const errors: InputError[] = []
  for (const each of names) {
    if (Object.hasOwn(known, each)) continue
    if (errors.length === MAX_NAMES) return [...errors, { in: part, name: '', message: 'There are more like these.' }]
    const name = shorten(each)
    errors.push({ in: part, name, message: message(name) })
  }
  return errors
}

/** One after the other: to list a hundred thousand takes long. */
export function* namesOf(object: object): Generator<string> {
  for (const name in object) yield name
}

const shorten = (name: string) => {
  const start = name.slice(0, 2 * MAX_NAME_LENGTH)
  const letters = [...start]
  return letters.length <= MAX_NAME_LENGTH && start === name ? name : `${letters.slice(0, MAX_NAME_LENGTH).join('')}…`
}

/**
 * Cuts a text or a list that is too long to a length that is too long still: it is refused either way, and checking a
 * format costs no more for a megabyte than for what is allowed.
 */
export function cutToSize(schema: TSchema, value: unknown): unknown {
  const { format, maxLength, maxItems } = schema as { format?: string; maxLength?: number; maxItems?: number }
  // No date is that long, and nothing is none either.
  if (typeof value === 'string' && format && maxLength === undefined && value.length > MAX_FORMATTED) return ''
  // A letter has at most two code units, and letters are what is counted.
  if (typeof value === 'string' && maxLength !== undefined && value.length > 2 * maxLength + 2)
    return value.slice(0, 2 * maxLength + 2)
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems + 1) return value.slice(0, maxItems + 1)
  return value
}
