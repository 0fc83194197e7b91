import type { Storage } from './storage'

/** An object that should be in the storage. */
interface ExpectedObject {
  object: string
  size: number
}

export type Compared<Expected> =
  /** An object that should be there. `found` is its size in the storage, or undefined if it is missing. */
  | { expected: Expected; found: number | undefined }
  /** An object in the storage that nothing names. */
  | { stray: { object: string; size: number; modifiedAt: number } }

/**
 * Compares the objects that should be in a storage, sorted by name, with those that are. Both lists are read once, so that it takes few
 * requests and little memory, however many objects there are. A preview belongs to its object.
 */
export async function* compareObjects<Expected extends ExpectedObject>(
  expected: Iterable<Expected> | AsyncIterable<Expected>,
  storage: Pick<Storage, 'list'>,
): AsyncGenerator<Compared<Expected>> {
  const stored = storage.list()[Symbol.asyncIterator]()
  let next = await stored.next()
  let last: string | undefined
  const strays = async function* (before: string | undefined): AsyncGenerator<Compared<Expected>> {
    for (; !next.done && (before === undefined || next.value.object < before); next = await stored.next())
      if (last === undefined || !next.value.object.startsWith(`${last}.`)) yield { stray: next.value }
  }
  for await (const each of expected) {
    yield* strays(each.object)
    last = each.object
    if (next.done || next.value.object !== each.object) yield { expected: each, found: undefined }
    else {
      yield { expected: each, found: next.value.size }
      next = await stored.next()
    }
  }
  yield* strays(undefined)
}
