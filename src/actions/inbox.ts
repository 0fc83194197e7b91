import type { Input, Output } from '../contract'
import { notFound } from '../contract/errors'
import { MAX_ENTRIES_COUNTED } from '../contract/inbox'
import { pageRequest, toPage } from '../domain/lists/paging'
import {
  archiveEntry,
  type EntryRow,
  findEntry,
  readEntry,
  setSubjectsRead,
  toInboxEntry,
  unreadEntry,
} from '../store/attention/inbox'
import { countEntries, listEntries, listUnreadSubjects } from '../store/attention/inbox-list'
import { clearMarks, findFilledRevision, setEverythingRead } from '../store/attention/reads'
import { requireMember } from './access'
import type { ReadContext, WriteContext } from './context'

const APPS_HAVE_NONE = 'Only members have an inbox; apps have none.'

export async function list(context: ReadContext, input: Input<'inbox.list'>): Promise<Output<'inbox.list'>> {
  const { db, viewer, links } = context
  requireMember(viewer, APPS_HAVE_NONE)
  const filter = { archived: input.archived ?? false, unread: input.unread, about: input.about }
  const request = pageRequest(`inbox.list ${JSON.stringify(filter)}`, input, {
    sorts: ['last_activity_at'],
    direction: 'desc',
  })
  const total = await countEntries(db, viewer, filter, MAX_ENTRIES_COUNTED + 1)
  const found = await listEntries(db, viewer, filter, request)
  return {
    ...toPage(request, found, Math.min(total, MAX_ENTRIES_COUNTED), (row) => toInboxEntry(links, row)),
    total_is_capped: total > MAX_ENTRIES_COUNTED,
  }
}

export async function update(context: WriteContext, { id, ...change }: Input<'inbox.update'>) {
  const entry = await getEntry(context, id)
  const isChanged = [
    await setEntryRead(context, entry, change.read),
    await setArchived(context, entry, change.archived),
  ]
  if (!isChanged.includes(true)) return toInboxEntry(context.links, entry)

  announceInbox(context, entry.subject_id)
  return toInboxEntry(context.links, await getEntry(context, id))
}

async function getEntry({ db, viewer }: WriteContext, id: string): Promise<EntryRow> {
  requireMember(viewer, APPS_HAVE_NONE)
  const entry = await findEntry(db, viewer, id)
  if (!entry) throw notFound('entry')
  return entry
}

async function setEntryRead(context: WriteContext, entry: EntryRow, read: boolean | undefined): Promise<boolean> {
  const { db, viewer } = context
  const isRead = !entry.is_unread && (entry.new_count === 0 || entry.about === 'reaction')
  if (read === undefined || (read ? isRead : entry.is_unread)) return false
  if (read) await readEntry(db, viewer, entry, (await context.firstRevision()) - 1)
  else await unreadEntry(db, viewer, entry)
  return true
}

async function setArchived({ db, now }: WriteContext, entry: EntryRow, archived: boolean | undefined) {
  if (archived === undefined || archived === (entry.archived_at !== null)) return false
  await archiveEntry(db, entry, archived ? now : null)
  return true
}

export async function readAll(context: WriteContext) {
  const { db, viewer } = context
  requireMember(viewer, APPS_HAVE_NONE)
  const unread = await listUnreadSubjects(db, viewer)
  if (unread.length === 0) return undefined

  await setSubjectsRead(db, viewer, unread, (await context.firstRevision()) - 1)
  await clearMarks(db, viewer, 'inbox_entries')
  // What the inbox was not told of yet is not read: nobody has seen it there.
  const upTo = Math.max(await findFilledRevision(db, viewer), ...unread.map(({ revision }) => revision))
  await setEverythingRead(db, viewer, upTo, 'inbox_revision')
  announceInbox(context, null)
  return undefined
}

const announceInbox = ({ viewer, announce }: WriteContext, subject_id: string | null) =>
  announce('inbox.updated', { subject_id }, { recipients: [viewer.author.key] })
