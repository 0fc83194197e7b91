import type { Post } from '../../contract/posts'
import type { SavedChange, SavedPost } from '../../contract/saved'
import { notify, notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { mapRecords, type Pages } from './cache/lists'
import { optimistic } from './cache/optimistic'
import { usePages } from './cache/pages'
import { parley } from './cache/parley'
import { applyChanges, type Change, change, markStale } from './cache/records'
import { changeState, getPostState } from './unread'

/** A saved post, by the id of the post. */
export type SavedRecord = SavedPost & { id: string }

/** The member's saved posts, most recently saved first. */
export const useSaved = (from?: string) => usePages<SavedRecord>(keys.saved, (after) => listSaved(after), { from })

async function listSaved(after: string | undefined) {
  const page = await parley.saved.list({ ...(after && { after }) })
  return { ...page, data: page.data.map((saved) => ({ ...saved, id: saved.post.id })) }
}

/** What is shown of a post that is saved, or no longer. */
const changesOfSaved = ({ post_id, saved_at, remind_at }: SavedChange): Change[] => [
  ...changeState(post_id, { saved_at, remind_at }),
  change<Pages<SavedRecord>>(
    keys.saved,
    (pages) =>
      mapRecords(pages, (saved) => {
        if (saved.id !== post_id) return saved
        return saved_at === null ? undefined : { ...saved, remind_at }
      }) as Pages<SavedRecord>,
  ),
]

async function send(saved: SavedChange, request: () => Promise<unknown>, problem: string) {
  try {
    await optimistic(changesOfSaved(saved), request)
    markStale(keys.saved)
  } catch (error) {
    notifyProblem(problem, error)
  }
}

const savedNow = () => new Date().toISOString()

/** Saves a post. The change is shown at once, and undone if the request fails. */
export async function savePost({ id: post_id }: Post) {
  notify('Saved')
  const saved = { post_id, saved_at: savedNow(), remind_at: null }
  await send(saved, () => parley.saved.set({ post_id }), "Couldn't save the post.")
}

/** Saves a post with a reminder, or removes its reminder. */
export async function setReminder({ id: post_id }: Post, remindAt: Date | null) {
  const remind_at = remindAt?.toISOString() ?? null
  const saved = { post_id, saved_at: getPostState(post_id)?.saved_at ?? savedNow(), remind_at }
  notify(remind_at ? `You will be reminded ${formatReminder(remind_at)}` : 'Reminder removed')
  await send(saved, () => parley.saved.set({ post_id, remind_at }), "Couldn't set the reminder.")
}

/** Removes a post from the saved ones, and offers Undo, which also brings back its reminder. */
export async function removeSaved({ id: post_id }: Post) {
  const remind_at = getPostState(post_id)?.remind_at ?? null
  const undo = () => {
    const saved = { post_id, saved_at: savedNow(), remind_at }
    void send(saved, () => parley.saved.set({ post_id, remind_at }), "Couldn't save the post.")
  }
  notify('Removed from saved', { label: 'Undo', run: undo })
  const removed = { post_id, saved_at: null, remind_at: null }
  await send(removed, () => parley.saved.unset({ post_id }), "Couldn't remove the post from saved.")
}

export const toggleSaved = (post: Post) => (getPostState(post.id)?.saved_at ? removeSaved(post) : savePost(post))

/** A change that was made here or on another device. */
export function putSaved(saved: SavedChange) {
  applyChanges(changesOfSaved(saved))
  if (saved.saved_at !== null) markStale(keys.saved)
}

const LATER_HOURS = 3
/** After this hour, “Later today” is not offered. */
const LATEST_HOUR = 21
const MORNING_HOUR = 9

interface ReminderChoice {
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
