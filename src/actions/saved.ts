import type { Input } from '../contract'
import { invalidField, Problem } from '../contract/errors'
import { MAX_REMINDER_YEARS, MAX_SAVED } from '../contract/saved'
import { timestampOrNull } from '../domain/timestamps'
import {
  countSaved,
  deleteSaved,
  findSaved,
  listSaved,
  type SavedState,
  toSavedPost,
  upsertSaved,
} from '../store/content/saved'
import { requireMember } from './access'
import type { WriteContext } from './context'
import { listOf } from './list'
import { getPost } from './posts'

const APPS_SAVE_NOTHING = 'Only members can save posts, not apps.'

export const list = listOf('saved.list', async ({ db, viewer, links }, filter, request) => {
  requireMember(viewer, APPS_SAVE_NOTHING)
  return listSaved(db, links.base, viewer, filter, request)
})

export async function set(context: WriteContext, { post_id, remind_at }: Input<'saved.set'>) {
  const { db, viewer, now } = context
  requireMember(viewer, APPS_SAVE_NOTHING)
  const post = await getPost(context, post_id)
  const before = await findSaved(db, viewer, post.key)
  const reminder = remind_at === undefined ? (before?.remind_at ?? null) : toReminder(remind_at, now)
  const saved = { saved_at: before?.saved_at ?? now, remind_at: reminder }
  if (before?.remind_at === reminder) return toSavedPost({ ...post, ...saved })
  if (!before && (await countSaved(db, viewer)) >= MAX_SAVED)
    throw new Problem(
      'too_many_saved',
      `You can save at most ${MAX_SAVED.toLocaleString('en')} posts. Remove some first.`,
    )

  await upsertSaved(db, viewer, post, saved)
  announceSaved(context, post_id, saved)
  return toSavedPost({ ...post, ...saved })
}

export async function unset(context: WriteContext, { post_id }: Input<'saved.unset'>) {
  const { db, viewer } = context
  requireMember(viewer, APPS_SAVE_NOTHING)
  const post = await getPost(context, post_id)
  if (!(await findSaved(db, viewer, post.key))) return undefined

  await deleteSaved(db, viewer, post.key)
  announceSaved(context, post_id, undefined)
  return undefined
}

function toReminder(text: string | null, now: number): number | null {
  if (text === null) return null
  const time = Date.parse(text)
  if (time <= now) throw invalidField('remind_at', 'Must be in the future.')
  if (time > new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + MAX_REMINDER_YEARS))
    throw invalidField('remind_at', `Must be within the next ${MAX_REMINDER_YEARS} years.`)
  return time
}

const announceSaved = ({ viewer, announce }: WriteContext, post_id: string, saved: SavedState | undefined) =>
  announce(
    'saved.updated',
    {
      post_id,
      saved_at: timestampOrNull(saved?.saved_at ?? null),
      remind_at: timestampOrNull(saved?.remind_at ?? null),
    },
    { recipients: [viewer.author.key] },
  )
