import type { Input } from '../contract'
import { isCustomEmojiName } from '../contract/browser/constants'
import { kindOf } from '../contract/browser/kinds'
import { notFound, Problem } from '../contract/errors'
import { MAX_REACTION_EMOJI, type ReactionSubject, reactionSubjects } from '../contract/reactions'
import { toAuthor } from '../domain/links'
import { normalizeEmoji } from '../domain/names'
import type { Viewer } from '../domain/permissions'
import type { Located } from '../domain/references'
import { findVisible } from '../store/access/references'
import { findEmojiPicture } from '../store/content/emoji'
import { findEmojiCounts, toReaction, toRecordReactions } from '../store/content/reaction-summaries'
import {
  addReaction,
  findEmojiUse,
  listEmojiCounts,
  listReactions,
  type ReactionRow,
  removeReaction,
} from '../store/content/reactions'
import type { Reader } from '../store/engines/db'
import type { ReadContext, WriteContext } from './context'
import { EMPTY_LIST, listOf } from './list'

export const list = async ({ db, viewer, links }: ReadContext, { ids }: Input<'reactions.list'>) => ({
  data: toRecordReactions(links, await findEmojiCounts(db, viewer, ids)),
})

export const listOfSubject = listOf(
  'reactions.listOfSubject',
  async (context, { subject_id, emoji: given }, request) => {
    const { db, viewer, links } = context
    const emoji = given === undefined ? undefined : requireEmoji(given, 'query')
    const { kind, key } = requireFound(await findVisible(db, viewer, subject_id, reactionSubjects))
    const counts = (await listEmojiCounts(db, kind, key)).filter(
      (count) => emoji === undefined || count.emoji === emoji,
    )
    if (counts.length === 0) return EMPTY_LIST
    const used = counts.map((count) => count.emoji)
    const listed = await listReactions(db, kind, key, used, request)
    return { ...listed, toRecord: (row: ReactionRow) => toReaction(links, row) }
  },
)

export async function add(context: WriteContext, input: Input<'reactions.add'>) {
  const { db, viewer, now } = context
  const emoji = requireEmoji(input.emoji, 'body')
  const record = await getRecordToChange(context, input.subject_id)
  const picture = await requirePicture(context, emoji)

  const own = { type: record.kind, subject_key: record.key, author_key: viewer.author.key, emoji }
  const use = await findEmojiUse(db, own)
  if (use.hasReacted) return undefined
  if (!use.hasRoom) throw tooManyReactions(record.kind)
  await addReaction(db, { ...own, workspace_key: viewer.workspace.key, created_at: now })
  announceReaction(context, 'reaction.added', { record, emoji, count: use.count + 1, picture })
  return undefined
}

export async function remove(context: WriteContext, input: Input<'reactions.remove'>) {
  const { db, viewer } = context
  const emoji = requireEmoji(input.emoji, 'query')
  const record = await getRecordToChange(context, input.subject_id)

  const own = { type: record.kind, subject_key: record.key, author_key: viewer.author.key, emoji }
  const use = await findEmojiUse(db, own)
  if (!use.hasReacted) return undefined
  const count = use.count - 1
  await removeReaction(db, own, count)
  const picture = isCustomEmojiName(emoji) ? await findEmojiPicture(db, viewer, emoji) : undefined
  announceReaction(context, 'reaction.removed', { record, emoji, count, picture })
  return undefined
}

/** It may have been looked up before other writes of the transaction, so its latest activity is not known. */
type ReactedRecord = Omit<Located<ReactionSubject>, 'activity_revision'>

/**
 * Finds nothing for comments and messages: only look-ups of posts are combined, because another write of the same transaction
 * may delete a comment.
 */
export const findPostToReactTo = (db: Reader, viewer: Viewer, { subject_id }: { subject_id: string }) =>
  findVisible(db, viewer, subject_id, ['post'])

async function getRecordToChange(context: WriteContext, id: string): Promise<ReactedRecord> {
  const { db, viewer } = context
  if (kindOf(id) !== 'post') return requireFound(await findVisible(db, viewer, id, ['comment', 'message']))
  return requireFound(await context.lookUp(() => findPostToReactTo(db, viewer, { subject_id: id })))
}

function requireFound(record: Located<ReactionSubject> | undefined) {
  if (!record) throw notFound('post, comment or message')
  return record
}

function requireEmoji(given: string, place: 'body' | 'query'): string {
  const emoji = normalizeEmoji(given)
  if (emoji === undefined) throw invalidEmoji('Must be one emoji, or the name of a custom emoji.', place)
  return emoji
}

const invalidEmoji = (message: string, place: 'body' | 'query') =>
  new Problem('invalid_input', `emoji: ${message}`, [{ in: place, name: 'emoji', message }])

async function requirePicture({ db, viewer }: WriteContext, emoji: string): Promise<string | undefined> {
  if (!isCustomEmojiName(emoji)) return undefined
  const picture = await findEmojiPicture(db, viewer, emoji)
  if (picture === undefined) throw invalidEmoji(`There is no custom emoji “${emoji}”.`, 'body')
  return picture
}

const tooManyReactions = (type: ReactionSubject) =>
  new Problem(
    'too_many_reactions',
    `A ${type} can have at most ${MAX_REACTION_EMOJI} different emoji. React with one that is already there.`,
  )

interface Change {
  record: ReactedRecord
  emoji: string
  count: number
  picture: string | undefined
}

/** The author of the record is notified, unless it is their own reaction. */
function announceReaction(
  { viewer, links, announce }: WriteContext,
  type: 'reaction.added' | 'reaction.removed',
  { record, emoji, count, picture }: Change,
) {
  const { channel_key, thread_key, author_key } = record
  const emoji_url = picture === undefined ? null : links.emoji(picture)
  const author = toAuthor(links, viewer.author.stored)
  const named = author_key === viewer.author.key ? [] : [author_key]
  announce(
    type,
    { subject_type: record.kind, subject_id: record.id, emoji, emoji_url, count, author },
    { channel_key, thread_key, named },
  )
}
