import { fold } from './fold'

/** Folded text as it is sorted, byte by byte: a number after how many digits it has, so that 2 comes before 10. */
export const naturalKey = (folded: string): string =>
  folded.replace(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '')
    return String(number.length).padStart(2, '0') + number
  })

/** Sorts names as people do: without case and accents, and `project-2` before `project-10`. */
export function compareNames(one: string, other: string): number {
  const [first, second] = [naturalKey(fold(one)), naturalKey(fold(other))]
  return first < second ? -1 : first > second ? 1 : 0
}
