import type { Person, World } from './world'

/** Ids of records by type, including deleted ones. */
export interface RecordIds {
  channels: string[]
  posts: string[]
  comments: string[]
  threads: string[]
  messages: string[]
  members: string[]
  apps: string[]
  tokens: string[]
  /** Uploaded by the members of the cast; empty where a test has none. */
  files?: string[]
}

/** A seeded random number generator. */
export interface Random {
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

export function newRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (list) => list[below(list.length)]! }
}

export const recordIdsOf = ({ general, ada, bob, bot }: World): RecordIds => ({
  channels: [general.id],
  posts: [],
  comments: [],
  threads: [],
  messages: [],
  members: [ada.id, bob.id],
  apps: [bot.id],
  tokens: [],
})

const prefixes: Record<string, keyof RecordIds> = {
  chan: 'channels',
  post: 'posts',
  cmt: 'comments',
  thr: 'threads',
  msg: 'messages',
  mem: 'members',
  app: 'apps',
  tok: 'tokens',
  file: 'files',
}

/** Adds the ids of what a write has created. */
export function rememberIds(records: RecordIds, output: unknown) {
  const { id, thread_id } = (output ?? {}) as { id?: string; thread_id?: string }
  for (const each of [id, thread_id]) {
    const list = each && records[prefixes[each.slice(0, each.indexOf('_'))]!]
    if (list && !list.includes(each)) list.push(each)
  }
}

/** What the input of a random write can be made of. */
export interface Draw extends Random, RecordIds {
  who: Person
  /** A random id, or one that does not exist. */
  one(ids: readonly string[]): string
  /** A member or an app. */
  someone(): string
  /** What can be read and followed: a post, a thread or a channel. */
  subject(): string
  name(): string
  /** A text that may have a checklist and references to files. */
  text(): string
  /** A box of such a checklist, or one that is not there. */
  checkbox(): { item: number; is_checked: boolean }
}

export function drawFrom(who: Person, records: RecordIds, random: Random): Draw {
  const { below, pick } = random
  const { channels, posts, threads, members, apps, files = [] } = records
  const one = (ids: readonly string[]) => (ids.length > 0 ? pick(ids) : 'none_00000000000000000000000000')
  const name = () => `${pick(['Øre', 'Ada', 'Zoë "Z"', 'Éclair', '100%', 'a_b'])} ${below(1e9)}`
  const text = () =>
    [
      name(),
      ...(below(4) === 0 ? ['- [ ] one\n- [x] two'] : []),
      ...files.filter(() => below(4) === 0).map((id) => `![a](${id})`),
    ].join('\n\n')
  return {
    ...records,
    ...random,
    who,
    one,
    someone: () => one([...members, ...apps]),
    subject: () => one([...posts, ...threads, ...channels]),
    name,
    text,
    checkbox: () => ({ item: below(3), is_checked: below(2) === 0 }),
  }
}
