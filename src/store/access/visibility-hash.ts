import { prepare, type Reader, type Writer } from '../engines/db'

/**
 * Callers who see the same share cached responses. What an author sees, besides what everyone sees, are the private channels they
 * are in; for guests, who see nothing public, all of their channels. The hash of that set is stored with the author, and changes in
 * the transaction that changes the set. Threads are not part of it: hardly any two people are in the same ones, and responses
 * about threads are cached for each caller.
 */

/** The hash of someone who is in no such channel. */
export const NO_CHANNELS = ''

/** For more authors at once, a job sets the hashes later. Until then they have none, and share nothing. */
const MAX_AT_ONCE = 200

const hashOf = (channelKeys: readonly number[]): string =>
  channelKeys.length === 0
    ? NO_CHANNELS
    : new Bun.CryptoHasher('sha256').update(channelKeys.toSorted((a, b) => a - b).join()).digest('hex')

// From authors on: the index of their channels is by workspace.
const channelsOfAuthors = prepare((db, param) =>
  db
    .selectFrom('authors as a')
    .innerJoin('channel_members as cm', (join) =>
      join.onRef('cm.workspace_key', '=', 'a.workspace_key').onRef('cm.author_key', '=', 'a.key'),
    )
    .innerJoin('channels as c', 'c.key', 'cm.channel_key')
    .leftJoin('members as m', 'm.author_key', 'a.key')
    .where(db.syntax.isInJson('a.key', param<string>('keys')))
    .where((eb) => eb.or([eb('c.is_private', '=', true), eb('m.role', '=', 'guest')]))
    .select(['cm.author_key', 'cm.channel_key']),
)

/** The hashes of these authors, by key, as they should be. */
export async function findVisibilityHashes(db: Reader, authorKeys: readonly number[]): Promise<Map<number, string>> {
  const channels = new Map(authorKeys.map((key) => [key, [] as number[]]))
  for (const row of await channelsOfAuthors(db, [], { keys: JSON.stringify(authorKeys) }))
    channels.get(row.author_key)!.push(row.channel_key)
  return new Map(channels.entries().map(([key, keys]) => [key, hashOf(keys)]))
}

const setStatement = prepare((db, param) =>
  db
    .updateTable('authors')
    .set({ visibility_hash: param<string>('visibility_hash') })
    .where('key', '=', param<number>('key')),
)

/** Sets the hashes of authors whose channels, or role, have changed. */
export async function setVisibilityHashes(db: Writer, authorKeys: readonly number[]) {
  for (const [key, visibility_hash] of await findVisibilityHashes(db, authorKeys))
    await setStatement(db, [], { key, visibility_hash })
}

/** The same for everyone in a channel that was made private or public. */
export async function setVisibilityHashesInChannel(db: Writer, channelKey: number) {
  const members = db.selectFrom('channel_members').where('channel_key', '=', channelKey).select('author_key')
  const some = await members.limit(MAX_AT_ONCE + 1).execute()
  if (some.length > MAX_AT_ONCE)
    await db.updateTable('authors').set({ visibility_hash: null }).where('key', 'in', members).execute()
  else if (some.length > 0)
    await setVisibilityHashes(
      db,
      some.map((row) => row.author_key),
    )
}

const withoutHash = prepare((db, param) =>
  db
    .selectFrom('authors')
    .where('visibility_hash', 'is', null)
    .select(['key', 'workspace_key'])
    .orderBy('workspace_key')
    .limit(param<number>('limit')),
)

/** Sets the hashes of the next authors who have none, of one workspace, which the caller locks. */
export async function hashNextVisibilities(db: Writer, lock: (workspaceKey: number) => Promise<unknown>) {
  const [first] = await withoutHash(db, [], { limit: 1 })
  if (!first) return
  await lock(first.workspace_key)
  const next = await withoutHash(db, [], { limit: MAX_AT_ONCE })
  const keys = next.filter((row) => row.workspace_key === first.workspace_key).map(({ key }) => key)
  if (keys.length > 0) await setVisibilityHashes(db, keys)
}

const hashedAuthors = prepare((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('authors')
        .where('key', '>', param<number>('after'))
        .where('visibility_hash', 'is not', null)
        .select(['key', 'id', 'workspace_key', 'visibility_hash'])
        .orderBy('key')
        .limit(param<number>('limit'))
        .as('a'),
    )
    .leftJoin('members as m', 'm.author_key', 'a.key')
    .leftJoin('channel_members as cm', (join) =>
      join.onRef('cm.workspace_key', '=', 'a.workspace_key').onRef('cm.author_key', '=', 'a.key'),
    )
    .leftJoin('channels as c', (join) =>
      join
        .onRef('c.key', '=', 'cm.channel_key')
        .on((eb) => eb.or([eb('c.is_private', '=', true), eb('m.role', '=', 'guest')])),
    )
    .select(['a.key', 'a.id', 'a.visibility_hash', 'c.key as channel_key']),
)

/** Of the next authors after one that have a hash, by one statement: those whose hash is wrong, and the last; null if that is all. */
export async function compareVisibilityHashes(db: Reader, after: number) {
  const rows = await hashedAuthors(db, [], { after, limit: MAX_AT_ONCE })
  const authors = [...Map.groupBy(rows, ({ key }) => key)]
  const wrong = authors.filter(([, seen]) => {
    const channelKeys = seen.map(({ channel_key }) => channel_key).filter((key) => key !== null)
    return hashOf(channelKeys) !== seen[0]!.visibility_hash
  })
  const last = authors.length < MAX_AT_ONCE ? null : Math.max(...authors.map(([key]) => key))
  return { wrong: wrong.map(([, seen]) => seen[0]!.id), last }
}
