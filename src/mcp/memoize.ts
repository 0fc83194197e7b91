/**
 * Remembers what a function makes of an object, for as long as the object is used. Pages and records are the same objects again
 * if nothing has changed (`agent-api.ts`), so that reading them once more costs little.
 */
export function memoize<A extends object, B>(make: (value: A) => B): (value: A) => B {
  const made = new WeakMap<A, B>()
  return (value) => made.getOrInsertComputed(value, make)
}
