import { useQuery } from '@tanstack/react-query'
import type { Draft, DraftVersion } from '../../contract/drafts'
import { notify, notifyProblem } from '../parts/notices'
import { coalesce } from './coalesce'
import { acceptDrafts, listenToSync, pushDraft } from './draft-sync'
import { type DraftText, putText } from './drafts'
import type { EventHandlers } from './event-handlers'
import { forgetKnown, getKnown } from './known-drafts'
import { loadAll } from './load-all'
import { isNameMissing, rememberMentions } from './mentions'
import { cache, parley } from './parley'

const DRAFTS = ['drafts']

async function loadDrafts(): Promise<Draft[]> {
  const startedAt = performance.now()
  const drafts = await loadAll(parley.drafts.list())
  await learnNames(drafts)
  acceptDrafts(drafts, startedAt)
  return drafts
}

/** Another device may have mentioned people whose names this browser does not know. */
async function learnNames(drafts: readonly Draft[]) {
  const texts = drafts.map(({ content_markdown }) => content_markdown).filter(isNameMissing)
  for (const content_markdown of texts) {
    const rendered = await parley.markdown.render({ content_markdown }).catch(() => undefined)
    if (rendered) rememberMentions(content_markdown, rendered.content)
  }
}

/** The drafts on the server; undefined until they are loaded. */
export const useDrafts = (): Draft[] | undefined => useQuery({ queryKey: DRAFTS, queryFn: loadDrafts }).data

/** Texts of other devices that were replaced by a device that had not seen them. */
export const useOtherVersions = (subjectId: string | undefined): DraftVersion[] =>
  useDrafts()?.find(({ subject_id }) => subject_id === subjectId)?.others ?? []

/** Loads the drafts again. However often it is called, at most one request runs and one waits. */
export const refreshDrafts = coalesce(() => cache.refetchQueries({ queryKey: DRAFTS }, { cancelRefetch: false }))

// Events about typing are throttled, so the latest text of another device may be missing here.
addEventListener('focus', () => void refreshDrafts())

const getList = () => cache.getQueryData<Draft[]>(DRAFTS) ?? []
const changeList = (change: (drafts: Draft[]) => Draft[]) =>
  cache.setQueryData<Draft[]>(DRAFTS, (drafts) => drafts && change(drafts))

listenToSync({
  onSaved: (draft) =>
    changeList((drafts) => [draft, ...drafts.filter(({ subject_id }) => subject_id !== draft.subject_id)]),
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
export async function discardDraft(draft: Draft) {
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

export const draftEventHandlers: EventHandlers = {
  'draft.updated': ({ data: { subject_id, version, is_deleted } }) => {
    const known = getKnown(subject_id)
    const isListed = getList().some((draft) => draft.subject_id === subject_id)
    if (is_deleted ? known || isListed : (known?.version ?? 0) < version) void refreshDrafts()
  },
}
