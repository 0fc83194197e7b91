import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Id, listQuery, Nullable, Page, Shape, Timestamp } from './page'
import { Post } from './posts'

/** A member has at most so many saved posts. */
export const MAX_SAVED = 1_000

/** A reminder is at most so far in the future. */
export const MAX_REMINDER_YEARS = 5

const RemindAt = Nullable(Timestamp, 'When the post comes back into your inbox; null for no reminder.')

export const SavedPost = Shape('SavedPost', { post: Post, saved_at: Timestamp, remind_at: RemindAt })
export type SavedPost = Static<typeof SavedPost>

/** What changed of your saved posts. */
export const SavedChange = Shape('SavedChange', {
  post_id: Id,
  saved_at: Nullable(Timestamp, 'Null: the post is no longer saved.'),
  remind_at: RemindAt,
})
export type SavedChange = Static<typeof SavedChange>

export const saved = {
  list: operation({
    method: 'GET',
    path: '/v2/saved',
    summary: 'List your saved posts.',
    description: 'What you saved last comes first. Posts that you may no longer see are not listed.',
    access: 'read',
    query: listQuery(['saved_at'], 'desc', {
      reminders: Type.Optional(
        Type.Boolean({ description: '`true` for those with a reminder only, `false` for the others only.' }),
      ),
    }),
    output: Page(SavedPost),
    errors: ['invalid_cursor', 'forbidden'],
  }),
  set: operation({
    method: 'PUT',
    path: '/v2/saved/:post_id',
    summary: 'Save a post for later, or set a reminder.',
    description: `Only you see it. When a reminder is due, the post is in your inbox as unread; it stays saved. If \`remind_at\` is left out, a reminder that is set stays. You can save at most ${MAX_SAVED.toLocaleString('en')} posts.`,
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ post_id: Id }),
    body: Body({
      remind_at: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          format: 'date-time',
          description: `In the future, within ${MAX_REMINDER_YEARS} years; null removes the reminder.`,
        }),
      ),
    }),
    output: SavedPost,
    errors: ['not_found', 'forbidden', 'too_many_saved'],
  }),
  unset: operation({
    method: 'DELETE',
    path: '/v2/saved/:post_id',
    summary: 'Remove a post from your saved posts.',
    description: 'Its reminder goes, too. If it is not saved, nothing changes.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ post_id: Id }),
    errors: ['not_found', 'forbidden'],
  }),
}
