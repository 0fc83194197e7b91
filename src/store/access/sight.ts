import { prepare, type Reader, type Writer } from '../engines/db'

/**
 * Who sees the same shares cached responses. What an author sees, besides what everyone sees, are the private channels they are
 * in; for guests, who see nothing public, all of their channels. The name of that set is stored with the author, and changes in
 * the transaction that changes the set. Threads are not part of it: hardly any two people are in the same ones, and responses
 * about threads are cached for each caller.
 */

/** The name of what someone sees who is in no such channel. */
export const SEES_NO_MORE = ''

/** Of so many authors the names are set at once; of more, by a job. Until then, they share nothing. */
const MAX_AT_ONCE = 200

const nameOf = (channelKeys: readonly number[]): string =>
  channelKeys.length === 0
    ? SEES_NO_MORE
    : new Bun.CryptoHasher('sha256').update(channelKeys.toSorted((a, b) => a - b).join()).digest('hex')

const channelsOfAuthors = prepare((db, param) =>
  db
    .selectFrom('channel_members as cm')
    .innerJoin('channels as c', 'c.key', 'cm.channel_key')
    .leftJoin('members as m', 'm.author_key', 'cm.author_key')
    .where(db.syntax.isInJson('cm.author_key', param<string>('keys')))
    .where((eb) => eb.or([eb('c.is_private', '=', true), eb('m.role', '=', 'guest')]))
    .select(['cm.author_key', 'cm.channel_key']),
)

/** The names of what these authors see. */
export async function findSights(db: Reader, authorKeys: readonly number[]): Promise<Map<number, string>> {
  const channels = new Map(authorKeys.map((key) => [key, [] as number[]]))
  for (const row of await channelsOfAuthors(db, [], { keys: JSON.stringify(authorKeys) }))
    channels.get(row.author_key)!.push(row.channel_key)
  return new Map(channels.entries().map(([key, keys]) => [key, nameOf(keys)]))
}

const setStatement = prepare((db, param) =>
  db
    .updateTable('authors')
    .set({ sight: param<string>('sight') })
    .where('key', '=', param<number>('key')),
)

/** Names what these authors see, after it changed. */
export async function setSights(db: Writer, authorKeys: readonly number[]) {
  for (const [key, sight] of await findSights(db, authorKeys)) await setStatement(db, [], { key, sight })
}

/** The same for everyone in a channel that was made private or public. */
export async function setSightsInChannel(db: Writer, channelKey: number) {
  const members = db.selectFrom('channel_members').where('channel_key', '=', channelKey).select('author_key')
  const some = await members.limit(MAX_AT_ONCE + 1).execute()
  if (some.length > MAX_AT_ONCE)
    await db.updateTable('authors').set({ sight: null }).where('key', 'in', members).execute()
  else if (some.length > 0)
    await setSights(
      db,
      some.map((row) => row.author_key),
    )
}

const unnamed = prepare((db, param) =>
  db
    .selectFrom('authors')
    .where('sight', 'is', null)
    .select(['key', 'workspace_key'])
    .orderBy('workspace_key')
    .limit(param<number>('limit')),
)

/** Names what the next such authors of one workspace see. The caller locks it. */
export async function nameSights(db: Writer, lock: (workspaceKey: number) => Promise<unknown>) {
  const [first] = await unnamed(db, [], { limit: 1 })
  if (!first) return
  await lock(first.workspace_key)
  const next = await unnamed(db, [], { limit: MAX_AT_ONCE })
  const keys = next.filter((row) => row.workspace_key === first.workspace_key).map(({ key }) => key)
  if (keys.length > 0) await setSights(db, keys)
}
