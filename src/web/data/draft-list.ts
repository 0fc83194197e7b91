import { useQuery } from '@tanstack/react-query'
import { NO_SUBJECT } from '../../contract/browser/constants'
import type { Draft, DraftChange, DraftVersion, ListedDraft } from '../../contract/drafts'
import { notify, notifyProblem } from '../parts/notices'
import { coalesce } from './coalesce'
import { acceptDrafts, listenToSync, pushDraft } from './draft-sync'
import { type DraftText, putText } from './drafts'
import { forgetKnown, getKnown } from './known-drafts'
import { listUnknownMentions, rememberMentions } from './mentions'
import { loadAll } from './pages'
import { cache, parley } from './parley'

const DRAFTS = ['drafts']

async function loadDrafts(): Promise<ListedDraft[]> {
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

/** The drafts on the server; undefined until they are loaded. */
export const useDrafts = (): ListedDraft[] | undefined => useQuery({ queryKey: DRAFTS, queryFn: loadDrafts }).data

/** Texts of other devices that were replaced by a device that had not seen them. */
export const useOtherVersions = (subjectId: string | undefined): DraftVersion[] =>
  useDrafts()?.find(({ subject_id }) => subject_id === subjectId)?.others ?? []

/** Loads the drafts again. However often it is called, at most one request runs and one waits. */
export const refreshDrafts = coalesce(() => cache.refetchQueries({ queryKey: DRAFTS }, { cancelRefetch: false }))

// Events about typing are throttled, so the latest text of another device may be missing here.
addEventListener('focus', () => void refreshDrafts())

const getList = () => cache.getQueryData<ListedDraft[]>(DRAFTS) ?? []
const changeList = (change: (drafts: ListedDraft[]) => ListedDraft[]) =>
  cache.setQueryData<ListedDraft[]>(DRAFTS, (drafts) => drafts && change(drafts))

listenToSync({
  onSaved(draft) {
    const isSame = ({ subject_id }: Draft) => subject_id === draft.subject_id
    const listed = getList().find(isSame)
    changeList((drafts) => [{ ...draft, place: listed?.place ?? null }, ...drafts.filter((other) => !isSame(other))])
    // The name of a new draft's subject is not known here.
    if (!listed && draft.subject_id !== NO_SUBJECT) void refreshDrafts()
  },
  onDeleted(subjectId) {
    const draft = getList().find(({ subject_id }) => subject_id === subjectId)
    changeList((drafts) => drafts.filter(({ subject_id }) => subject_id !== subjectId))
    // Other versions or a newer text are still on the server.
    if (!draft || draft.others.length > 0 || getKnown(subjectId)) void refreshDrafts()
  },
})

export async function deleteOtherVersion(subjectId: string, { version }: DraftVersion) {
  try {
    await parley.drafts.deleteOther({ subject_id: subjectId, version })
  } catch (error) {
    notifyProblem("Couldn't discard the other version.", error)
  }
  await refreshDrafts()
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
  await refreshDrafts()
}

async function restoreDraft(subjectId: string, text: DraftText) {
  putText(subjectId, text)
  await pushDraft(subjectId)
}

export function handleDraft({ data: { subject_id, version, is_deleted } }: { data: DraftChange }) {
  const known = getKnown(subject_id)
  const isListed = getList().some((draft) => draft.subject_id === subject_id)
  if (is_deleted ? known || isListed : (known?.version ?? 0) < version) void refreshDrafts()
}
