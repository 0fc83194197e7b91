import type { Documented } from './fuzz-document'
import type { Known } from './fuzz-values'
import type { RawResponse } from './fuzz-wire'

const MAX_IDS = 12
const MAX_CURSORS = 20
const MAX_PARENTS = 1_000
/** Posts that were resolved when they were last seen: only these have a resolution to get. */
export const RESOLVED = 'resolved'
/** Nouns whose paths take the id of another one. */
const SUBJECTS: Record<string, string> = {
  ...{ follows: 'posts', reads: 'posts', edits: 'posts', drafts: 'posts', saved: 'posts', reactions: 'posts' },
  ...{ audience: 'posts', subjects: 'posts', sidebar: 'channels' },
}

/** `/v2/webhooks/wh_…`: if it is not found, it was deleted before a response that listed it arrived. */
const isOfRecord = (address: string) => address.split('/').length === 4

/**
 * Collects ids and cursors from responses for later requests. Protected ids are never used; permanent ones can be
 * updated, but not deleted.
 */
export function trackRecords(isProtected: (id: string) => boolean, permanent: Record<string, string>) {
  const ids = new Map<string, string[]>()
  const cursors = new Map<string, string[]>()
  const parents = new Map<string, string>()
  const keep = (lists: Map<string, string[]>, name: string, value: string, max: number) => {
    const list = lists.getOrInsertComputed(name, () => [])
    if (list.includes(value)) return
    list.push(value)
    if (list.length > max) list.shift()
  }

  return {
    ids: (path: string) => {
      const noun = SUBJECTS[path] ?? path
      const found = ids.get(noun) ?? []
      // Others may be gone, with their channel for example, so this is every second one.
      return permanent[noun] ? found.concat(Array(found.length + 1).fill(permanent[noun])) : found
    },
    spareIds: (noun: string) => ids.get(SUBJECTS[noun] ?? noun) ?? [],
    cursors: (operation: string) => cursors.get(operation) ?? [],
    parentOf: (noun: string, id: string) => parents.get(`${noun}/${id}`),
    learn({ name, method, path }: Documented, address: string, { status, headers, body }: RawResponse) {
      if (method === 'DELETE' && (status === 204 || (status === 404 && isOfRecord(address)))) forget(address)
      const [, around, parent, inside] = address.match(/^\/v2\/([\w-]+)\/([^/?]+)\/[\w-]+(?:\/([^/?]+))?/) ?? []
      if (around && parent && inside && status < 300) setParent(inside, around, parent)
      if (status >= 300 || !headers.get('content-type')?.startsWith('application/json')) return
      const answer = JSON.parse(body)
      const noun = path.split('/').findLast((word) => !word.startsWith('{'))!
      for (const record of Array.isArray(answer.data) ? answer.data.slice(0, 5) : [answer])
        if (typeof record.id === 'string' && !isProtected(record.id) && permanent[noun] !== record.id) {
          keep(ids, noun, record.id, MAX_IDS)
          if (around && parent && Array.isArray(answer.data)) setParent(record.id, around, parent)
          if (record.resolution) keep(ids, RESOLVED, record.id, MAX_IDS)
          else remove(RESOLVED, record.id)
        }
      for (const cursor of [answer.next_cursor, answer.prev_cursor])
        if (typeof cursor === 'string') keep(cursors, name, cursor, MAX_CURSORS)
    },
  } satisfies Known & { learn: unknown }

  /** One for each noun: a member is in a channel and in a group. */
  function setParent(id: string, noun: string, parent: string) {
    if (parents.size >= MAX_PARENTS) parents.clear()
    parents.set(`${noun}/${id}`, parent)
  }

  function forget(address: string) {
    const [, noun, id] = address.match(/\/([\w-]+)\/([^/?]+)$/) ?? []
    if (noun && id) remove(noun, id)
  }

  function remove(noun: string, id: string) {
    const list = ids.get(noun)
    if (list)
      ids.set(
        noun,
        list.filter((each) => each !== id),
      )
  }
}
