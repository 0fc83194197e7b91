import { type Insertable, sql } from 'kysely'
import type { InviteLink, InviteLinkNote } from '../../contract/invite-links'
import { type Links, toAuthor } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { channelIsVisible, viewerKeysOf } from '../access/visibility'
import { cancelMailsOfLink } from '../attention/mails'
import { countRows, type Reader, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import type { Tables } from '../schema'

const columns = [
  ...(['l.key', 'l.id', 'l.workspace_key', 'l.hash', 'l.secret', 'l.role', 'l.email_domain', 'l.max_uses'] as const),
  ...(['l.uses_count', 'l.expires_at', 'l.created_by_key', 'l.created_at'] as const),
]

const links = (db: Reader) =>
  db
    .selectFrom('invite_links as l')
    .innerJoin('authors as creator', 'creator.key', 'l.created_by_key')
    .select(columns)
    .select(storedAuthor('creator').as('created_by'))

export type InviteLinkRow = NonNullable<Awaited<ReturnType<typeof findInviteLink>>>

export const findInviteLink = (db: Reader, workspaceKey: number, id: string) =>
  links(db).where('l.workspace_key', '=', workspaceKey).where('l.id', '=', id).executeTakeFirst()

/** The links of a workspace, and how many: a handful. */
export const listInviteLinks = (db: Reader, viewer: Viewer, slice: Slice) =>
  listRows(
    db,
    {
      ...{ table: 'invite_links', key: 'key', at: 'created_at', id: 'id' },
      ranges: [{ workspace_key: viewer.workspace.key }],
    },
    slice,
    (keys) =>
      keys
        .innerJoin('invite_links as l', 'l.key', 'k.key')
        .innerJoin('authors as creator', 'creator.key', 'l.created_by_key')
        .select(columns)
        .select(storedAuthor('creator').as('created_by')),
  )

export const countInviteLinks = (db: Reader, workspaceKey: number): Promise<number> =>
  countRows(db.selectFrom('invite_links').where('workspace_key', '=', workspaceKey))

/** The links that a member created. */
export const listInviteLinksOf = (db: Reader, authorKey: number): Promise<InviteLinkRow[]> =>
  links(db).where('l.created_by_key', '=', authorKey).orderBy('l.key').execute()

export const insertInviteLink = (
  db: Writer,
  link: Omit<Insertable<Tables['invite_links']>, 'key' | 'uses_count'>,
): Promise<{ key: number }> => db.insertInto('invite_links').values(link).returning('key').executeTakeFirstOrThrow()

export const setInviteLink = (
  db: Writer,
  key: number,
  changes: Partial<Pick<InviteLinkRow, 'role' | 'email_domain' | 'max_uses' | 'expires_at'>>,
) => db.updateTable('invite_links').set(changes).where('key', '=', key).execute()

/** Gives a link another secret. Who asked to join by the old one has to ask again. */
export async function renewInviteLink(db: Writer, key: number, changes: Pick<InviteLinkRow, 'hash' | 'secret'>) {
  await db.updateTable('invite_links').set(changes).where('key', '=', key).execute()
  await db.deleteFrom('pending_joins').where('link_key', '=', key).execute()
  await cancelMailsOfLink(db, key)
}

/** Counts somebody who joins; false where as many have joined as may. */
export const countUse = async (db: Writer, key: number): Promise<boolean> =>
  (await db
    .updateTable('invite_links')
    .set({ uses_count: sql`uses_count + 1` })
    .where('key', '=', key)
    .where((eb) => eb.or([eb('max_uses', 'is', null), eb('uses_count', '<', eb.ref('max_uses'))]))
    .returning('key')
    .executeTakeFirst()) !== undefined

/** With the addresses that were about to join by it. */
export async function deleteInviteLink(db: Writer, key: number) {
  await db.deleteFrom('pending_joins').where('link_key', '=', key).execute()
  await db.deleteFrom('invite_link_channels').where('link_key', '=', key).execute()
  await db.deleteFrom('invite_links').where('key', '=', key).execute()
}

/** The channels of some links: which are visible to the viewer, and who chose them. */
export async function findLinkChannels(
  db: Reader,
  viewer: Viewer,
  linkKeys: readonly number[],
): Promise<LinkChannel[]> {
  if (linkKeys.length === 0) return []
  return db
    .selectFrom('invite_link_channels as lc')
    .innerJoin('channels as c', 'c.key', 'lc.channel_key')
    .where('lc.link_key', 'in', linkKeys)
    .select(['lc.link_key', 'lc.channel_key', 'lc.added_by_key', 'lc.is_private as is_chosen_private', 'c.id'])
    .select(sql<boolean>`CASE WHEN c.archived_at IS NULL THEN 0 ELSE 1 END`.as('is_archived'))
    .select(sql<boolean>`CASE WHEN ${channelIsVisible('c', viewerKeysOf(viewer))} THEN 1 ELSE 0 END`.as('is_visible'))
    .orderBy('c.name_order')
    .execute()
}

export interface LinkChannel {
  link_key: number
  channel_key: number
  added_by_key: number
  id: string
  is_chosen_private: boolean
  is_archived: boolean
  is_visible: boolean
}

interface ChosenChannel {
  key: number
  is_private: boolean
}

/** Replaces the channels of a link that the viewer can see; the others stay. */
export async function setLinkChannels(
  db: Writer,
  linkKey: number,
  { replaced, chosen, by }: { replaced: readonly number[]; chosen: readonly ChosenChannel[]; by: number },
) {
  const gone = [...replaced, ...chosen.map(({ key }) => key)]
  if (gone.length > 0)
    await db
      .deleteFrom('invite_link_channels')
      .where('link_key', '=', linkKey)
      .where('channel_key', 'in', gone)
      .execute()
  if (chosen.length > 0)
    await db
      .insertInto('invite_link_channels')
      .values(
        chosen.map(({ key, is_private }) => ({ link_key: linkKey, channel_key: key, added_by_key: by, is_private })),
      )
      .execute()
}

/**
 * Called when a channel becomes private: who could have the address of a link to it while it was public may not join by that. So
 * links lead to it only once it is chosen again.
 */
export const closeLinksToChannel = (db: Writer, { key, workspace_key }: { key: number; workspace_key: number }) =>
  db
    .updateTable('invite_link_channels')
    .set({ is_private: false })
    .where('link_key', 'in', (eb) =>
      eb.selectFrom('invite_links').where('workspace_key', '=', workspace_key).select('key'),
    )
    .where('channel_key', '=', key)
    .execute()

/** A link as those who have it see it: as long as it is not expired, and its creator is an active admin. */
const openLinks = (db: Reader, now: number) =>
  links(db)
    .innerJoin('members as m', 'm.author_key', 'l.created_by_key')
    .innerJoin('workspaces as w', 'w.key', 'l.workspace_key')
    .where((eb) => eb.or([eb('l.expires_at', 'is', null), eb('l.expires_at', '>', now)]))
    .where((eb) => eb.or([eb('l.max_uses', 'is', null), eb('l.uses_count', '<', eb.ref('l.max_uses'))]))
    .where('m.role', '=', 'admin')
    .where('m.is_deactivated', '=', false)
    .select(['w.slug as workspace_slug', 'w.name as workspace_name', 'w.icon as workspace_icon'])
    .select('w.id as workspace_id')

export type OpenInviteLink = NonNullable<Awaited<ReturnType<typeof findOpenInviteLink>>>

export const findOpenInviteLink = (db: Reader, hash: string, now: number) =>
  openLinks(db, now).where('l.hash', '=', hash).executeTakeFirst()

export const findOpenInviteLinkByKey = (db: Reader, key: number, now: number) =>
  openLinks(db, now).where('l.key', '=', key).executeTakeFirst()

/** Who was mailed this secret, and the link they want to join by. */
export const findPendingJoin = (db: Reader, hash: string, now: number) =>
  openLinks(db, now)
    .innerJoin('pending_joins as j', 'j.link_key', 'l.key')
    .where('j.hash', '=', hash)
    .where('j.expires_at', '>', now)
    .select('j.email')
    .executeTakeFirst()

export const insertPendingJoin = (db: Writer, join: Insertable<Tables['pending_joins']>) =>
  db.insertInto('pending_joins').values(join).execute()

/** Once an address has joined a workspace: no other mail lets it in. */
export const deletePendingJoins = (db: Writer, workspaceKey: number, email: string) =>
  db
    .deleteFrom('pending_joins')
    .where('email', '=', email)
    .where('link_key', 'in', (eb) =>
      eb.selectFrom('invite_links').where('workspace_key', '=', workspaceKey).select('key'),
    )
    .execute()

export const deleteOldPendingJoins = (db: Writer, now: number) =>
  db.deleteFrom('pending_joins').where('expires_at', '<=', now).execute()

export const setJoinedBy = (db: Writer, authorKey: number, linkKey: number) =>
  db.updateTable('members').set({ link_key: linkKey }).where('author_key', '=', authorKey).execute()

export const toInviteLinkNote = (to: Links, row: InviteLinkRow): InviteLinkNote => ({
  id: row.id,
  role: row.role,
  email_domain: row.email_domain,
  max_uses: row.max_uses,
  expires_at: timestampOrNull(row.expires_at),
  uses_count: row.uses_count,
  created_by: toAuthor(to, row.created_by),
})

/** A link as an admin sees it, with those of its channels that they can see. */
export const toInviteLink = (
  to: Links,
  row: InviteLinkRow,
  { url, channelIds }: { url: string | null; channelIds: string[] },
): InviteLink => ({
  ...toInviteLinkNote(to, row),
  url,
  channel_ids: channelIds,
  created_at: timestamp(row.created_at),
})
