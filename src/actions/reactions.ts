import type { Input } from '../contract'
import { isCustomEmojiName } from '../contract/browser/constants'
import { notFound, Problem } from '../contract/errors'
import { MAX_REACTION_EMOJI, type ReactionSubject } from '../contract/reactions'
import { normalizeEmoji } from '../domain/emoji'
import { toAuthor } from '../domain/links'
import type { PageRequest } from '../domain/lists/paging'
import type { Viewer } from '../domain/permissions'
import type { Located } from '../domain/references'
import { findVisible } from '../store/access/references'
import { findEmojiPicture } from '../store/content/emoji'
import { findEmojiCounts, toReaction, toRecordReactions } from '../store/content/reaction-summaries'
import {
  addReaction,
  findEmojiUse,
  listEmojiCounts,
  reactionRanges,
  readReactions,
  removeReaction,
} from '../store/content/reactions'
import type { Reader } from '../store/engines/db'
import type { ReadContext, WriteContext } from './context'
import { EMPTY_LIST, listOf } from './list'

export const list = async ({ db, viewer, links }: ReadContext, { ids }: Input<'reactions.list'>) => ({
  data: toRecordReactions(links, await findEmojiCounts(db, viewer, ids)),
})

export const listOfPost = listOf('reactions.listOfPost', (context, { post_id, emoji }, request) =>
  listReactions(context, { type: 'post', id: post_id }, emoji, request),
)
export const listOfComment = listOf('reactions.listOfComment', (context, { comment_id, emoji }, request) =>
  listReactions(context, { type: 'comment', id: comment_id }, emoji, request),
)
export const listOfMessage = listOf('reactions.listOfMessage', (context, { message_id, emoji }, request) =>
  listReactions(context, { type: 'message', id: message_id }, emoji, request),
)

export const addToPost = (context: WriteContext, { post_id, emoji }: Input<'reactions.addToPost'>) =>
  add(context, { type: 'post', id: post_id }, emoji)
export const addToComment = (context: WriteContext, { comment_id, emoji }: Input<'reactions.addToComment'>) =>
  add(context, { type: 'comment', id: comment_id }, emoji)
export const addToMessage = (context: WriteContext, { message_id, emoji }: Input<'reactions.addToMessage'>) =>
  add(context, { type: 'message', id: message_id }, emoji)

export const removeFromPost = (context: WriteContext, { post_id, emoji }: Input<'reactions.removeFromPost'>) =>
  remove(context, { type: 'post', id: post_id }, emoji)
export const removeFromComment = (context: WriteContext, { comment_id, emoji }: Input<'reactions.removeFromComment'>) =>
  remove(context, { type: 'comment', id: comment_id }, emoji)
export const removeFromMessage = (context: WriteContext, { message_id, emoji }: Input<'reactions.removeFromMessage'>) =>
  remove(context, { type: 'message', id: message_id }, emoji)

interface Subject {
  type: ReactionSubject
  id: string
}

/** It may have been looked up before other writes of the transaction, so its latest activity is not known. */
type ReactedRecord = Omit<Located<ReactionSubject>, 'activity_revision'>

export const findPostToReactTo = (db: Reader, viewer: Viewer, { post_id }: { post_id: string }) =>
  findVisible(db, viewer, post_id, ['post'])

async function getRecord({ db, viewer }: Pick<ReadContext, 'db' | 'viewer'>, { type, id }: Subject) {
  const record = await findVisible(db, viewer, id, [type])
  if (!record) throw notFound(type)
  return record
}

async function listReactions(
  context: ReadContext,
  subject: Subject,
  given: string | undefined,
  request: PageRequest<string>,
) {
  const emoji = given === undefined ? undefined : requireEmoji(given, 'query')
  const { key } = await getRecord(context, subject)
  const counts = (await listEmojiCounts(context.db, subject.type, key)).filter(
    (count) => emoji === undefined || count.emoji === emoji,
  )
  if (counts.length === 0) return EMPTY_LIST
  const ranges = reactionRanges(
    subject.type,
    key,
    counts.map((count) => count.emoji),
  )
  return {
    total: counts.reduce((sum, { reactions_count }) => sum + reactions_count, 0),
    found: await readReactions(context.db, ranges, request),
    toRecord: (row: Parameters<typeof toReaction>[1]) => toReaction(context.links, row),
  }
}

async function add(context: WriteContext, subject: Subject, given: string) {
  const { db, viewer, now } = context
  const emoji = requireEmoji(given, 'path')
  const record = await getRecordToChange(context, subject)
  const picture = await requirePicture(context, emoji)

  const own = { type: subject.type, subject_key: record.key, author_key: viewer.author.key, emoji }
  const use = await findEmojiUse(db, own)
  if (use.hasReacted) return undefined
  if (!use.hasRoom) throw tooManyReactions(subject.type)
  await addReaction(db, { ...own, workspace_key: viewer.workspace.key, created_at: now })
  announceReaction(context, 'reaction.added', { subject, record, emoji, count: use.count + 1, picture })
  return undefined
}

async function remove(context: WriteContext, subject: Subject, given: string) {
  const { db, viewer } = context
  const emoji = requireEmoji(given, 'path')
  const record = await getRecordToChange(context, subject)

  const own = { type: subject.type, subject_key: record.key, author_key: viewer.author.key, emoji }
  const use = await findEmojiUse(db, own)
  if (!use.hasReacted) return undefined
  const count = use.count - 1
  await removeReaction(db, own, count)
  const picture = isCustomEmojiName(emoji) ? await findEmojiPicture(db, viewer, emoji) : undefined
  announceReaction(context, 'reaction.removed', { subject, record, emoji, count, picture })
  return undefined
}

/** Only look-ups of posts are combined, because another write of the same transaction may delete a comment. */
async function getRecordToChange(context: WriteContext, subject: Subject): Promise<ReactedRecord> {
  const { db, viewer } = context
  if (subject.type !== 'post') return getRecord(context, subject)
  const post = await context.lookUp(() => findPostToReactTo(db, viewer, { post_id: subject.id }))
  if (!post) throw notFound('post')
  return post
}

function requireEmoji(given: string, place: 'path' | 'query'): string {
  const emoji = normalizeEmoji(given)
  if (emoji === undefined) throw invalidEmoji('Must be one emoji, or the name of a custom emoji.', place)
  return emoji
}

const invalidEmoji = (message: string, place: 'path' | 'query') =>
  new Problem('invalid_input', `emoji: ${message}`, [{ in: place, name: 'emoji', message }])

async function requirePicture({ db, viewer }: WriteContext, emoji: string): Promise<string | undefined> {
  if (!isCustomEmojiName(emoji)) return undefined
  const picture = await findEmojiPicture(db, viewer, emoji)
  if (picture === undefined) throw invalidEmoji(`There is no custom emoji “${emoji}”.`, 'path')
  return picture
}

const tooManyReactions = (type: ReactionSubject) =>
  new Problem(
    'too_many_reactions',
    `A ${type} can have at most ${MAX_REACTION_EMOJI} different emoji. React with one that is already there.`,
  )

interface Change {
  subject: Subject
  record: ReactedRecord
  emoji: string
  count: number
  picture: string | undefined
}

/** The author of the record is notified, unless it is their own reaction. */
function announceReaction(
  { viewer, links, announce }: WriteContext,
  type: 'reaction.added' | 'reaction.removed',
  { subject, record, emoji, count, picture }: Change,
) {
  const { channel_key, thread_key, author_key } = record
  const emoji_url = picture === undefined ? null : links.emoji(picture)
  const author = toAuthor(links, viewer.author.card)
  const mentioned = author_key === viewer.author.key ? [] : [author_key]
  announce(
    type,
    { subject_type: subject.type, subject_id: subject.id, emoji, emoji_url, count, author },
    { channel_key, thread_key, mentioned },
  )
}
