import type { Input } from '../contract'
import { FILE_ID, NO_SUBJECT } from '../contract/browser/constants'
import { type Draft, MAX_DRAFTS, MAX_OTHER_VERSIONS } from '../contract/drafts'
import { invalidField, notFound, Problem } from '../contract/errors'
import { isTypeId } from '../domain/ids'
import {
  countDrafts,
  type DraftRow,
  type DraftVersionRow,
  deleteDraft,
  deleteVersions,
  findDraft,
  findDraftPlaces,
  findOtherVersions,
  insertDraft,
  insertVersion,
  isDraftSubject,
  listDrafts,
  takeVersion,
  toDraft,
  toDraftPlace,
  updateDraft,
} from '../store/content/drafts'
import { findVisibleFiles } from '../store/files/files'
import { removeReferences, setReferences } from '../store/files/references'
import { requireMember } from './access'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'

/** How often other devices are told about a text that is being typed, in milliseconds. Each event invalidates cached responses. */
const ANNOUNCE_EVERY = 15_000

const APPS_HAVE_NONE = 'Only members can have drafts, not apps.'

export const list = listOf('drafts.list', async ({ db, viewer }, _, request) => {
  requireMember(viewer, APPS_HAVE_NONE)
  const { found, total } = await listDrafts(db, viewer, request)
  const keys = found.rows.map(({ key }) => key)
  const others = await findOtherVersions(db, keys)
  const rows = await findDraftPlaces(
    db,
    viewer,
    found.rows.map(({ subject_id }) => subject_id),
  )
  const places = new Map(rows.map((row) => [row.id, toDraftPlace(row)]))
  const toRecord = (row: DraftRow) => ({ ...toDraft(row, others), place: places.get(row.subject_id) ?? null })
  return { total, found, toRecord }
})

export async function get({ db, viewer }: ReadContext, { subject_id }: Input<'drafts.get'>): Promise<Draft> {
  requireMember(viewer, APPS_HAVE_NONE)
  const draft = await findDraft(db, viewer, subject_id)
  if (!draft) throw notFound('draft')
  return toDraft(draft, await findOtherVersions(db, [draft.key]))
}

export async function save(context: WriteContext, input: Input<'drafts.save'>): Promise<Draft> {
  const { db, viewer } = context
  requireMember(viewer, APPS_HAVE_NONE)
  const text = { title: input.title ?? '', content_markdown: input.content_markdown ?? '' }
  if (!hasText(text)) throw invalidField('content_markdown', 'Must not be empty. To remove a draft, delete it.')

  const draft = await findDraft(db, viewer, input.subject_id)
  const others = draft ? await findOtherVersions(db, [draft.key]) : []
  lockFiles(context, [text, ...(draft ? [draft] : []), ...others])
  if (!draft) return toDraft(await create(context, input.subject_id, text), [])
  if (isSame(draft, text)) return toDraft(draft, others)
  return replace(context, { ...draft, others }, text, input.version ?? 0)
}

type Text = Pick<DraftRow, 'title' | 'content_markdown'>

const hasText = ({ title, content_markdown }: Text) => (title + content_markdown).trim() !== ''

const isSame = (one: Text, other: Text) => one.title === other.title && one.content_markdown === other.content_markdown

async function create(context: WriteContext, subject_id: string, text: Text): Promise<DraftRow> {
  const { db, viewer, now } = context
  if (!(await isDraftSubject(db, viewer, subject_id))) throw notFound('channel, post, comment, thread or member')
  if ((await countDrafts(db, viewer)) >= MAX_DRAFTS)
    throw new Problem(
      'too_many_drafts',
      `You can have at most ${MAX_DRAFTS} drafts. Send or delete some of them first.`,
    )

  const draft = await insertDraft(db, {
    ...text,
    workspace_key: viewer.workspace.key,
    author_key: viewer.author.key,
    subject_id,
    version: await takeVersion(db, viewer),
    updated_at: now,
    announced_at: now,
  })
  await storeDraftReferences(context, { ...draft, others: [] }, undefined)
  announceDraft(context, draft)
  return draft
}

/** Replaces the text of a draft. If the device has not seen the old text, it is kept as another version. */
async function replace(context: WriteContext, draft: WholeDraft, text: Text, seenVersion: number): Promise<Draft> {
  const { db, viewer, now } = context
  const isUnseen = draft.version !== seenVersion && hasText(draft)
  const others = await keepVersions(context, draft, text, isUnseen)

  const isAnnounced = isUnseen || now - draft.announced_at >= ANNOUNCE_EVERY
  const changed = await updateDraft(db, draft.key, {
    ...text,
    version: await takeVersion(db, viewer),
    updated_at: now,
    announced_at: isAnnounced ? now : draft.announced_at,
  })
  await storeDraftReferences(context, { ...changed, others }, draft)
  if (isAnnounced) announceDraft(context, changed)
  else context.commitWithoutEvents()
  return toDraft(changed, others)
}

/** Keeps the newest of the other versions that differ from the text that is saved, and if it is unseen, that of the draft. */
async function keepVersions({ db }: WriteContext, draft: WholeDraft, text: Text, isUnseen: boolean) {
  const differing = draft.others.filter((other) => !isSame(other, text))
  const versions = isUnseen ? [await insertVersion(db, draft), ...differing] : differing
  const kept = versions.slice(0, MAX_OTHER_VERSIONS)
  await deleteVersions(
    db,
    draft.key,
    draft.others.filter(({ version }) => !kept.some((each) => each.version === version)),
  )
  return kept
}

/** Finds a draft. Throws if the id cannot be that of a subject, because a mistake in the id must not look like success. */
async function findDraftOf({ db, viewer }: WriteContext, subject_id: string): Promise<DraftRow | undefined> {
  if (subject_id !== NO_SUBJECT && !isTypeId(subject_id)) throw notFound('draft')
  return findDraft(db, viewer, subject_id)
}

async function remove(context: WriteContext, { subject_id, version }: Input<'drafts.delete'>) {
  const { db, viewer } = context
  requireMember(viewer, APPS_HAVE_NONE)
  const draft = await findDraftOf(context, subject_id)
  if (!draft) return undefined
  if (version !== undefined && version !== draft.version)
    throw new Problem(
      'draft_changed',
      'Another device has changed the draft since that version. The draft was not deleted.',
    )

  const others = await findOtherVersions(db, [draft.key])
  lockFiles(context, [draft, ...others])
  if (version !== undefined && others.length > 0) await empty(context, { ...draft, others })
  else await removeDraft(context, draft)
  return undefined
}

export { remove as delete }

/** Removes the text of a draft, and keeps its other versions. */
async function empty(context: WriteContext, draft: WholeDraft) {
  const { db, viewer, now } = context
  const version = await takeVersion(db, viewer)
  const changes = { title: '', content_markdown: '', version, updated_at: now, announced_at: now }
  const changed = await updateDraft(db, draft.key, changes)
  await storeDraftReferences(context, { ...changed, others: draft.others }, draft)
  announceDraft(context, changed)
}

async function removeDraft(context: WriteContext, draft: DraftRow) {
  await removeDraftReferences(context, draft)
  await deleteDraft(context.db, draft.key)
  announceDraft(context, { ...draft, version: await takeVersion(context.db, context.viewer) }, true)
}

export async function deleteOther(context: WriteContext, { subject_id, version }: Input<'drafts.deleteOther'>) {
  const { db, viewer, now } = context
  requireMember(viewer, APPS_HAVE_NONE)
  const draft = await findDraftOf(context, subject_id)
  const others = draft ? await findOtherVersions(db, [draft.key]) : []
  if (!draft || !others.some((other) => other.version === version)) return undefined

  lockFiles(context, [draft, ...others])
  await deleteVersions(db, draft.key, [{ version }])
  const kept = others.filter((other) => other.version !== version)
  if (kept.length === 0 && !hasText(draft)) {
    await removeDraft(context, draft)
    return undefined
  }
  const changed = await updateDraft(db, draft.key, { announced_at: now })
  await storeDraftReferences(context, { ...changed, others: kept }, { ...draft, others })
  announceDraft(context, changed)
  return undefined
}

const announceDraft = (context: WriteContext, { subject_id, version }: DraftRow, is_deleted = false) =>
  context.announce('draft.updated', { subject_id, version, is_deleted }, { recipients: [context.viewer.author.key] })

const FILE_IDS = new RegExp(`\\b${FILE_ID}\\b`, 'g')

/** A draft with its other versions. */
type WholeDraft = DraftRow & { others: readonly DraftVersionRow[] }

const idsIn = (texts: readonly Pick<Text, 'content_markdown'>[]): string[] =>
  texts.flatMap(({ content_markdown }) => content_markdown.match(FILE_IDS) ?? [])

/** Others may reference the same files at the same moment. */
function lockFiles({ needLock }: WriteContext, texts: readonly Pick<Text, 'content_markdown'>[]) {
  if (idsIn(texts).length > 0) needLock()
}

/**
 * Stores which uploads of its owner a draft and its other versions reference, so that they are kept and stay visible to the owner.
 * Files of others are erased with the last record that references them. A draft is saved while it is typed, so for speed its
 * Markdown is not parsed: an id in a code block counts, too. `before` is the draft as it was, if there was one.
 */
async function storeDraftReferences(
  { db, viewer, now }: WriteContext,
  draft: WholeDraft,
  before: WholeDraft | undefined,
) {
  const ids = new Set(idsIn([draft, ...draft.others]))
  if (ids.size === 0 && (!before || idsIn([before, ...before.others]).length === 0)) return
  const files = await findVisibleFiles(db, viewer, [...ids])
  const { key, workspace_key, author_key: owner_key } = draft
  const keys = files.filter((file) => file.author_key === owner_key).map((file) => file.key)
  await setReferences(db, { type: 'draft', key, workspace_key, owner_key }, keys, now)
}

const removeDraftReferences = ({ db, now }: WriteContext, { key }: DraftRow) =>
  removeReferences(db, 'draft', [key], now)
