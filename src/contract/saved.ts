import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Post } from './posts'
import { Body, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

/** How many posts a member can save. */
export const MAX_SAVED = 1_000

/** How far in the future a reminder can be. */
export const MAX_REMINDER_YEARS = 5

const RemindAt = Nullable(Timestamp, 'When you want to be reminded of the post; null if there is no reminder.')

export const SavedPost = Shape('SavedPost', { post: Post, saved_at: Timestamp, remind_at: RemindAt })
export type SavedPost = Static<typeof SavedPost>

/** What changed in your saved posts. */
export const SavedChange = Shape('SavedChange', {
  post_id: Id,
  saved_at: Nullable(Timestamp, 'When you saved the post; null if it is no longer saved.'),
  remind_at: RemindAt,
})
export type SavedChange = Static<typeof SavedChange>

export const saved = {
  list: operation({
    method: 'GET',
    path: '/v2/saved',
    depends: 'personal',
    summary: 'List your saved posts.',
    description: 'Lists the most recently saved post first. Posts that you can no longer see are not listed.',
    access: 'read',
    query: listQuery(['saved_at'], 'desc', {
      reminders: Type.Optional(
        Type.Boolean({ description: '`true` lists only posts with a reminder, `false` only posts without one.' }),
      ),
    }),
    output: Page(SavedPost),
    errors: ['invalid_cursor', 'forbidden'],
  }),
  set: operation({
    method: 'PUT',
    path: '/v2/saved/:post_id',
    effect: 'personal',
    summary: 'Save a post for later, or set a reminder.',
    description: `Only you can see that you saved it. When the reminder is due, the post appears in your inbox as unread, and it stays saved. If you leave out \`remind_at\`, an existing reminder is kept. You can save up to ${MAX_SAVED.toLocaleString('en')} posts.`,
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ post_id: Id }),
    body: Body({
      remind_at: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          format: 'date-time',
          description: `When to remind you: a time in the future, within the next ${MAX_REMINDER_YEARS} years. Null removes the reminder.`,
        }),
      ),
    }),
    output: SavedPost,
    errors: ['not_found', 'forbidden', 'too_many_saved'],
  }),
  unset: operation({
    method: 'DELETE',
    path: '/v2/saved/:post_id',
    effect: 'personal',
    summary: 'Remove a post from your saved posts.',
    description: 'This also removes its reminder. If the post is not saved, nothing changes.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ post_id: Id }),
    errors: ['not_found', 'forbidden'],
  }),
}
