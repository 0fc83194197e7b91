import type { Documented } from './fuzz-document'
import type { Known } from './fuzz-values'
import type { Heard } from './fuzz-wire'

const MOST_IDS = 12
const MOST_CURSORS = 20
const MOST_HOMES = 1_000

/**
 * Remembers what answers show, so that later requests can name it. What is protected is never named; a keeper may be
 * changed, but never deleted.
 */
export function openKnown(isProtected: (id: string) => boolean, keepers: Record<string, string>) {
  const ids = new Map<string, string[]>()
  const cursors = new Map<string, string[]>()
  const homes = new Map<string, string>()
  const keep = (lists: Map<string, string[]>, name: string, value: string, most: number) => {
    const list = lists.getOrInsertComputed(name, () => [])
    if (list.includes(value)) return
    list.push(value)
    if (list.length > most) list.shift()
  }

  return {
    ids: (noun: string) => [...(ids.get(noun) ?? []), ...(keepers[noun] ? [keepers[noun]] : [])],
    spareIds: (noun: string) => ids.get(noun) ?? [],
    cursors: (operation: string) => cursors.get(operation) ?? [],
    homeOf: (id: string) => homes.get(id),
    learn({ name, method, path }: Documented, address: string, { status, headers, body }: Heard) {
      if (method === 'DELETE' && status === 204) forget(address)
      const [, home, inside] = address.match(/^\/v2\/\w+\/([^/?]+)\/\w+(?:\/([^/?]+))?/) ?? []
      if (home && inside && status < 300) settle(inside, home)
      if (status >= 300 || !headers.get('content-type')?.startsWith('application/json')) return
      const answer = JSON.parse(body)
      const noun = path.split('/').findLast((word) => !word.startsWith('{'))!
      for (const record of Array.isArray(answer.data) ? answer.data.slice(0, 5) : [answer])
        if (typeof record.id === 'string' && !isProtected(record.id) && keepers[noun] !== record.id) {
          keep(ids, noun, record.id, MOST_IDS)
          if (home && Array.isArray(answer.data)) settle(record.id, home)
        }
      for (const cursor of [answer.next_cursor, answer.prev_cursor])
        if (typeof cursor === 'string') keep(cursors, name, cursor, MOST_CURSORS)
    },
  } satisfies Known & { learn: unknown }

  function settle(id: string, home: string) {
    if (homes.size >= MOST_HOMES) homes.clear()
    homes.set(id, home)
  }

  function forget(address: string) {
    const [, noun, id] = address.match(/\/(\w+)\/([^/?]+)$/) ?? []
    const list = ids.get(noun ?? '')
    if (list && id)
      ids.set(
        noun!,
        list.filter((each) => each !== id),
      )
  }
}
