import { ApiError } from '../../client'
import { NO_SUBJECT, PAGE_SIZE } from '../../contract/browser/constants'
import type { Draft, DraftChange, DraftVersion, ListedDraft } from '../../contract/drafts'
import { notify, notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { loadAll } from './cache/pages'
import { cache, parley } from './cache/parley'
import { markStale } from './cache/records'
import {
  type DraftText,
  forgetKnown,
  getKnown,
  getSubject,
  hasChanged,
  hashText,
  isEmpty,
  listKnown,
  listSubjects,
  noteCleared,
  onDraftWritten,
  putText,
  readText,
  setKnown,
} from './drafts'
import { listUnknownMentions, rememberMentions } from './mentions'

/**
 * Synchronizes the drafts of this browser with the server. The copy in the browser always has the last keystroke. It is sent
 * when the member pauses, and is replaced by a newer text from the server only if it has not changed since it was sent.
 */
const REST_MS = 2_000
const RETRY_MS = 15_000

interface Sync {
  timer?: ReturnType<typeof setTimeout>
  running?: Promise<void>
  /** When the draft was last sent, and when the response arrived. */
  sentAt: number
  doneAt: number
  /** The text that the server refused. It is not sent again. */
  refused?: string
  /** Whether the last attempt to save the draft has failed. */
  hasFailed?: boolean
}

const syncs = new Map<string, Sync>()

function getSync(subjectId: string): Sync {
  const known = syncs.get(subjectId)
  if (known) return known
  const created: Sync = { sentAt: Number.NEGATIVE_INFINITY, doneAt: Number.NEGATIVE_INFINITY }
  syncs.set(subjectId, created)
  return created
}

const failureListeners = new Set<() => void>()

/** Calls the listener whenever saving a draft fails, or succeeds again. */
export function subscribeToFailures(listener: () => void) {
  failureListeners.add(listener)
  return () => failureListeners.delete(listener)
}

/** Whether the server does not have the latest text of a draft because it could not be saved. */
export const hasFailed = (subjectId: string): boolean => syncs.get(subjectId)?.hasFailed === true

function noteFailure(subjectId: string, hasFailed: boolean) {
  const sync = getSync(subjectId)
  if ((sync.hasFailed ?? false) === hasFailed) return
  sync.hasFailed = hasFailed
  for (const listener of failureListeners) listener()
}

const isDue = (subjectId: string) =>
  hasChanged(subjectId) && getSync(subjectId).refused !== hashText(readText(subjectId))

function schedule(subjectId: string, delay = REST_MS) {
  const sync = getSync(subjectId)
  clearTimeout(sync.timer)
  sync.timer = setTimeout(() => void pushDraft(subjectId), delay)
}

onDraftWritten((key) => {
  const subjectId = getSubject(key)
  if (!subjectId) return
  noteCleared(subjectId)
  schedule(subjectId)
})

/** Saves unsaved changes soon, but at most every two seconds. */
export function flushDraft(key: string) {
  const subjectId = getSubject(key)
  if (subjectId && isDue(subjectId))
    schedule(subjectId, Math.max(0, getSync(subjectId).sentAt + REST_MS - performance.now()))
}

/** Saves a draft now, unless the server has it already. */
export async function pushDraft(subjectId: string): Promise<void> {
  const sync = getSync(subjectId)
  clearTimeout(sync.timer)
  await sync.running
  if (sync.running || !isDue(subjectId)) return
  sync.sentAt = performance.now()
  sync.running = send(subjectId, readText(subjectId)).then(
    () => noteFailure(subjectId, false),
    (error) => {
      noteFailure(subjectId, true)
      handleFailure(subjectId, error)
    },
  )
  await sync.running
  sync.running = undefined
  sync.doneAt = performance.now()
}

/** Saves all drafts that are not saved yet. */
export const pushDrafts = () => Promise.all([...new Set([...listSubjects(), ...listKnown()])].map(pushDraft))

interface Listeners {
  onSaved(draft: Draft): void
  onDeleted(subjectId: string): void
}
let listeners: Listeners | undefined

/** Sets the function that is called with each saved draft. */
export const listenToSync = (given: Listeners) => {
  listeners = given
}

async function send(subjectId: string, text: DraftText) {
  const version = getKnown(subjectId)?.version ?? 0
  if (isEmpty(text)) {
    await parley.drafts.delete({ subject_id: subjectId, ...(version > 0 && { version }) })
    forgetKnown(subjectId)
    listeners?.onDeleted(subjectId)
    return
  }
  const draft = await parley.drafts.save({ subject_id: subjectId, ...text, version })
  setKnown(subjectId, draft.version, text)
  noteCleared(subjectId)
  listeners?.onSaved(draft)
  if (isDue(subjectId)) schedule(subjectId)
}

function handleFailure(subjectId: string, error: unknown) {
  const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
  if (!isRefused) return schedule(subjectId, RETRY_MS)
  if (error.code !== 'draft_changed') getSync(subjectId).refused = hashText(readText(subjectId))
  else {
    // Another device has saved a newer text, which is shown instead of the one that was removed here.
    forgetKnown(subjectId)
    listeners?.onDeleted(subjectId)
  }
}

/** Takes over what other devices have saved. `startedAt` is the time of the request for the list. */
export function acceptDrafts(drafts: readonly Draft[], startedAt: number) {
  // The latest comes last, in the same order as drafts that are written here.
  for (const draft of drafts.toReversed()) accept(draft.subject_id, draft, startedAt)
  // A draft may be missing in a list of several pages, if it moved to another page in the meantime.
  if (drafts.length > PAGE_SIZE) return
  const listed = new Set(drafts.map(({ subject_id }) => subject_id))
  for (const subjectId of new Set([...listSubjects(), ...listKnown()]))
    if (!listed.has(subjectId)) acceptDeletion(subjectId, startedAt)
}

const isBusy = (subjectId: string, startedAt: number) => {
  const { running, doneAt } = getSync(subjectId)
  return running !== undefined || doneAt > startedAt
}

function accept(subjectId: string, draft: Draft, startedAt: number) {
  if (isBusy(subjectId, startedAt)) return
  const known = getKnown(subjectId)
  const text = readText(subjectId)
  const isMine = hasChanged(subjectId) && hashText(text) !== hashText(draft)
  // If both have changed, the text of this browser is saved, and the server keeps the other one.
  if (isMine) schedule(subjectId)
  if (isMine || (known && draft.version <= known.version && !isEmpty(text))) return
  putText(subjectId, draft)
  setKnown(subjectId, draft.version, draft)
}

/** If another device has sent or discarded a draft, it is removed here, too, unless it was changed here. */
function acceptDeletion(subjectId: string, startedAt: number) {
  if (isBusy(subjectId, startedAt)) return
  const known = getKnown(subjectId)
  const isMine = hasChanged(subjectId) && !known?.isCleared
  forgetKnown(subjectId)
  if (isMine) schedule(subjectId)
  else putText(subjectId, { title: '', content_markdown: '' })
}

/** Shows another version instead of the current text. The server then keeps the current text as another version. */
export async function swapVersion(subjectId: string, other: DraftText) {
  await pushDraft(subjectId)
  if (isDue(subjectId)) throw new Error('Your text could not be saved, so it was not replaced.')
  putText(subjectId, other)
  setKnown(subjectId, 0, { title: '', content_markdown: '' })
  await pushDraft(subjectId)
}

addEventListener('online', () => void pushDrafts())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void pushDrafts()
})
addEventListener('pagehide', () => void pushDrafts())

/** The drafts on the server. What this browser does not know yet is taken over. */
export async function loadDrafts(): Promise<ListedDraft[]> {
  const startedAt = performance.now()
  const drafts = await loadAll(parley.drafts.list())
  // Before an editor shows them: it would show ids.
  await learnNames(drafts.flatMap((draft) => [draft, ...draft.others]))
  acceptDrafts(drafts, startedAt)
  return drafts
}

/** The requests for names, by id. People whom this member cannot see have no name. */
const nameRequests = new Map<string, Promise<void>>()
/** The server looks up no more in one text. */
const NAMES_PER_REQUEST = 50

/** Another device may have mentioned people whose names this browser does not know. Each is asked for once. */
async function learnNames(texts: readonly DraftVersion[]) {
  const unknown = [...new Set(texts.flatMap(({ content_markdown }) => listUnknownMentions(content_markdown)))]
  const ids = unknown.filter((id) => !nameRequests.has(id))
  for (let at = 0; at < ids.length; at += NAMES_PER_REQUEST) requestNames(ids.slice(at, at + NAMES_PER_REQUEST))
  await Promise.all(unknown.map((id) => nameRequests.get(id)))
}

function requestNames(ids: readonly string[]) {
  const request = loadNames(ids).catch(() => {
    for (const id of ids) nameRequests.delete(id)
  })
  for (const id of ids) nameRequests.set(id, request)
}

/** Each is mentioned in a paragraph of its own, as some may have no name. */
async function loadNames(ids: readonly string[]) {
  const mentions = ids.map((id) => `<@${id}>`)
  const { content } = await parley.markdown.render({ content_markdown: mentions.join('\n\n') })
  const paragraphs = content.split('</p>')
  for (const [at, mention] of mentions.entries()) rememberMentions(mention, paragraphs[at]!)
}

/** Loads the drafts again, soon. */
export const refreshDrafts = () => markStale(keys.drafts)

/** Loads the drafts again unless that was done a moment ago, as when a page opens with an editor. */
export function refreshOldDrafts() {
  const loadedAt = cache.getQueryState(keys.drafts)?.dataUpdatedAt ?? 0
  if (Date.now() - loadedAt > REST_MS) refreshDrafts()
}

// Events about typing are throttled, so the latest text of another device may be missing here.
addEventListener('focus', () => refreshDrafts())

const getList = () => cache.getQueryData<ListedDraft[]>(keys.drafts) ?? []
const changeList = (change: (drafts: ListedDraft[]) => ListedDraft[]) =>
  cache.setQueryData<ListedDraft[]>(keys.drafts, (drafts) => drafts && change(drafts))

listenToSync({
  onSaved(draft) {
    const isSame = ({ subject_id }: Draft) => subject_id === draft.subject_id
    const listed = getList().find(isSame)
    changeList((drafts) => [{ ...draft, place: listed?.place ?? null }, ...drafts.filter((other) => !isSame(other))])
    // The name of a new draft's subject is not known here.
    if (!listed && draft.subject_id !== NO_SUBJECT) refreshDrafts()
  },
  onDeleted(subjectId) {
    const draft = getList().find(({ subject_id }) => subject_id === subjectId)
    changeList((drafts) => drafts.filter(({ subject_id }) => subject_id !== subjectId))
    // Other versions or a newer text are still on the server.
    if (!draft || draft.others.length > 0 || getKnown(subjectId)) refreshDrafts()
  },
})

export async function deleteOtherVersion(subjectId: string, { version }: DraftVersion) {
  try {
    await parley.drafts.deleteOther({ subject_id: subjectId, version })
  } catch (error) {
    notifyProblem("Couldn't discard the other version.", error)
  }
  refreshDrafts()
}

/** The text that a draft is listed with: its own, or the newest other version if that is all there is. */
export const getShownVersion = (draft: Draft): DraftVersion =>
  draft.title || draft.content_markdown ? draft : draft.others[0]!

/** Deletes the text that the list shows for a draft, and no other version, because the member has seen only this one. Offers Undo. */
export async function discardDraft(draft: ListedDraft) {
  const { subject_id } = draft
  const { title, content_markdown, version } = getShownVersion(draft)
  const isOwnText = version === draft.version
  changeList((drafts) => drafts.filter((other) => other !== draft))
  if (isOwnText) {
    putText(subject_id, { title: '', content_markdown: '' })
    forgetKnown(subject_id)
  }
  try {
    await parley.drafts[isOwnText ? 'delete' : 'deleteOther']({ subject_id, version })
    const undo = () => void restoreDraft(subject_id, { title, content_markdown })
    notify('The draft was discarded.', { label: 'Undo', run: undo })
  } catch (error) {
    notifyProblem("Couldn't discard the draft.", error)
  }
  refreshDrafts()
}

async function restoreDraft(subjectId: string, text: DraftText) {
  putText(subjectId, text)
  await pushDraft(subjectId)
}

export function handleDraft({ data: { subject_id, version, is_deleted } }: { data: DraftChange }) {
  const known = getKnown(subject_id)
  const isListed = getList().some((draft) => draft.subject_id === subject_id)
  if (is_deleted ? known || isListed : (known?.version ?? 0) < version) refreshDrafts()
}
