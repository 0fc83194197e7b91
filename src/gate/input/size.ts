import type { TSchema } from 'typebox'
import type { InputError } from '../../contract/errors'

const MAX_NAMES = 10
const MAX_NAME_LENGTH = 100
const MAX_FORMATTED = 1_000

/** An error for each unknown name, up to a limit. */
export function unknownNames(
  part: InputError['in'],
  names: Iterable<string>,
  known: object,
  message: (name: string) => string,
): InputError[] {
  const errors: InputError[] = []
  for (const each of names) {
    if (Object.hasOwn(known, each)) continue
    if (errors.length === MAX_NAMES)
      return [...errors, { in: part, name: '', message: 'There are more unknown names.' }]
    const name = shorten(each)
    errors.push({ in: part, name, message: message(name) })
  }
  return errors
}

/** Lazily: listing a hundred thousand names would take long. */
export function* namesOf(object: object): Generator<string> {
  for (const name in object) yield name
}

const shorten = (name: string) => {
  const start = name.slice(0, 2 * MAX_NAME_LENGTH)
  const letters = [...start]
  return letters.length <= MAX_NAME_LENGTH && start === name ? name : `${letters.slice(0, MAX_NAME_LENGTH).join('')}…`
}

/**
 * Truncates text and lists that are too long to a length that is still too long. They are rejected either way, and
 * checking a format costs no more for a megabyte than for the longest valid value.
 */
export function truncate(schema: TSchema, value: unknown): unknown {
  const { format, maxLength, maxItems } = schema as { format?: string; maxLength?: number; maxItems?: number }
  // No date is that long; an empty string is rejected just the same.
  if (typeof value === 'string' && format && maxLength === undefined && value.length > MAX_FORMATTED) return ''
  // A character has at most two code units, and the limit is in characters.
  if (typeof value === 'string' && maxLength !== undefined && value.length > 2 * maxLength + 2)
    return value.slice(0, 2 * maxLength + 2)
  if (Array.isArray(value)) return withoutNesting(value.slice(0, (maxItems ?? value.length) + 1))
  return value
}

/** No list in a body may hold lists or objects, and comparing two that are nested deeply would overflow the stack. */
const withoutNesting = (list: readonly unknown[]) => list.map((item) => (typeof item === 'object' ? null : item))
