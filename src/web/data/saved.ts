import type { Post } from '../../contract/posts'
import type { SavedChange, SavedPost } from '../../contract/saved'
import { notify, notifyProblem } from '../parts/notices'
import { coalesce } from './coalesce'
import { changeRecords, usePages } from './pages'
import { cache, parley } from './parley'
import { formatReminder } from './reminder-times'
import { postStates } from './states'

/** A saved post, by the id of the post. */
export type SavedRecord = SavedPost & { id: string }

export const SAVED = ['saved']

/** The member's saved posts, most recently saved first. */
export const useSaved = (from?: string) => usePages<SavedRecord>(SAVED, (after) => listSaved(after), { from })

async function listSaved(after: string | undefined) {
  const page = await parley.saved.list({ ...(after && { after }) })
  return { ...page, data: page.data.map((saved) => ({ ...saved, id: saved.post.id })) }
}

export const refreshSaved = coalesce(() => cache.invalidateQueries({ queryKey: SAVED }))

/** Saves a post. The change is shown at once, and undone if the request fails. */
export async function savePost(post: Post) {
  putState({ post_id: post.id, saved_at: new Date().toISOString(), remind_at: null })
  notify('Saved')
  await send(post, () => parley.saved.set({ post_id: post.id }), "Couldn't save the post.")
}

/** Saves a post with a reminder, or removes its reminder. */
export async function setReminder(post: Post, remindAt: Date | null) {
  const before = postStates.get(post.id)
  const remind_at = remindAt?.toISOString() ?? null
  putState({ post_id: post.id, saved_at: before?.saved_at ?? new Date().toISOString(), remind_at })
  notify(remindAt ? `You will be reminded ${formatReminder(remindAt.toISOString())}` : 'Reminder removed')
  await send(post, () => parley.saved.set({ post_id: post.id, remind_at }), "Couldn't set the reminder.")
}

/** Removes a post from the saved ones, and offers Undo, which also brings back its reminder. */
export async function removeSaved(post: Post) {
  const remind_at = postStates.get(post.id)?.remind_at ?? null
  putState({ post_id: post.id, saved_at: null, remind_at: null })
  const undo = () => {
    putState({ post_id: post.id, saved_at: new Date().toISOString(), remind_at })
    void send(post, () => parley.saved.set({ post_id: post.id, remind_at }), "Couldn't save the post.")
  }
  notify('Removed from saved', { label: 'Undo', run: undo })
  await send(post, () => parley.saved.unset({ post_id: post.id }), "Couldn't remove the post from saved.")
}

export const toggleSaved = (post: Post) => (postStates.get(post.id)?.saved_at ? removeSaved(post) : savePost(post))

async function send(post: Post, request: () => Promise<unknown>, problem: string) {
  try {
    await request()
  } catch (error) {
    postStates.refresh(post.id)
    notifyProblem(problem, error)
  }
  void refreshSaved()
}

function putState({ post_id, saved_at, remind_at }: SavedChange) {
  postStates.change(post_id, { saved_at, remind_at })
  changeRecords<SavedRecord>(SAVED, (saved) => {
    if (saved.id !== post_id) return saved
    return saved_at === null ? undefined : { ...saved, remind_at }
  })
}

export const putSaved = ({ data, is_redacted }: { data: Post; is_redacted: boolean }) => {
  if (!is_redacted)
    changeRecords<SavedRecord>(SAVED, (saved) => (saved.id === data.id ? { ...saved, post: data } : saved))
}

export const dropSaved = (postId: string) =>
  changeRecords<SavedRecord>(SAVED, (saved) => (saved.id === postId ? undefined : saved))

export function handleSaved({ data }: { data: SavedChange }) {
  putState(data)
  void refreshSaved()
}
