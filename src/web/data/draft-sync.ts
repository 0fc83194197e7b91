import { ApiError } from '../../client'
import { PAGE_SIZE } from '../../contract/browser/constants'
import type { Draft } from '../../contract/drafts'
import { type DraftText, getSubject, listSubjects, onDraftWritten, putText, readText } from './drafts'
import { forgetKnown, getKnown, hasChanged, hashText, isEmpty, listKnown, noteCleared, setKnown } from './known-drafts'
import { parley } from './parley'

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
}

const syncs = new Map<string, Sync>()

function getSync(subjectId: string): Sync {
  const known = syncs.get(subjectId)
  if (known) return known
  const created: Sync = { sentAt: Number.NEGATIVE_INFINITY, doneAt: Number.NEGATIVE_INFINITY }
  syncs.set(subjectId, created)
  return created
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
  sync.running = send(subjectId, readText(subjectId)).catch((error) => handleFailure(subjectId, error))
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
