import type { Post } from '../../contract/posts'
import type { SavedChange, SavedPost } from '../../contract/saved'
import { notify, notifyProblem } from '../parts/notices'
import { coalesce } from './cache/batches'
import { changeRecords, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { postStates } from './unread'

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

const LATER_HOURS = 3
/** After this hour, “Later today” is not offered. */
const LATEST_HOUR = 21
const MORNING_HOUR = 9

export interface ReminderChoice {
  label: string
  at: Date
}

/** Times to choose for a reminder, in the time zone of the device. */
export function listReminderChoices(now: Date): ReminderChoice[] {
  const later = new Date(now)
  later.setHours(now.getHours() + LATER_HOURS, 0, 0, 0)
  const isToday = later.getDate() === now.getDate() && later.getHours() <= LATEST_HOUR
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  return [
    ...(isToday ? [{ label: 'Later today', at: later }] : []),
    { label: 'Tomorrow', at: morningIn(now, 1) },
    ...(daysToMonday > 1 ? [{ label: 'Next Monday', at: morningIn(now, daysToMonday) }] : []),
  ]
}

function morningIn(now: Date, days: number): Date {
  const at = new Date(now)
  at.setDate(now.getDate() + days)
  at.setHours(MORNING_HOUR, 0, 0, 0)
  return at
}

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })
const yearFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

export const formatClockTime = (at: Date) => timeFormat.format(at)

/** “today at 18:00”, “tomorrow at 9:00”, “Mon, 23 Nov at 9:00” */
export function formatReminder(timestamp: string, now = new Date()): string {
  const at = new Date(timestamp)
  const isOn = (days: number) => at.toDateString() === morningIn(now, days).toDateString()
  const day = at.getFullYear() === now.getFullYear() ? dayFormat : yearFormat
  return `${isOn(0) ? 'today' : isOn(1) ? 'tomorrow' : day.format(at)} at ${timeFormat.format(at)}`
}

/** The value of a field for date and time. */
export const toFieldValue = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
