import type { Input } from '../contract'
import { isCustomEmojiName } from '../contract/browser/constants'
import { MAX_CUSTOM_EMOJI } from '../contract/emoji'
import { notFound, Problem } from '../contract/errors'
import { newPictureName } from '../domain/avatar'
import type { StoredBytes } from '../domain/files'
import {
  type CustomEmojiRow,
  countCustomEmoji,
  deleteCustomEmoji,
  findCustomEmoji,
  listCustomEmoji,
  setCustomEmoji,
  toCustomEmoji,
} from '../store/content/emoji'
import type { ReadContext, WriteContext } from './context'

export const list = async ({ db, viewer, links }: ReadContext, _: Input<'emoji.list'>) => ({
  data: (await listCustomEmoji(db, viewer)).map((row) => toCustomEmoji(links, viewer, row)),
})

export async function set(context: WriteContext, { name }: Input<'emoji.set'>) {
  const { db, viewer, now } = context
  if (!isCustomEmojiName(name)) throw invalidName()
  const before = await findCustomEmoji(db, viewer, name)
  if (!before && (await countCustomEmoji(db, viewer)) >= MAX_CUSTOM_EMOJI)
    throw new Problem(
      'too_many_emoji',
      `A workspace can have at most ${MAX_CUSTOM_EMOJI} custom emoji. Delete one first.`,
    )

  const emoji = { workspace_key: viewer.workspace.key, name, picture: newPictureName(), author_key: viewer.author.key }
  await setCustomEmoji(db, { ...emoji, stored: context.prepared as StoredBytes }, now)
  return announceEmoji(context, 'emoji.created', (await findCustomEmoji(db, viewer, name))!)
}

const NAME_RULE = 'Must be 2 to 32 lower-case letters, digits, “_” or “-”.'
const invalidName = () =>
  new Problem('invalid_input', `name: ${NAME_RULE}`, [{ in: 'path', name: 'name', message: NAME_RULE }])

async function remove(context: WriteContext, { name }: Input<'emoji.delete'>) {
  const { db, viewer, now } = context
  const emoji = await findCustomEmoji(db, viewer, name)
  if (!emoji) throw notFound('custom emoji')

  await deleteCustomEmoji(db, viewer, name, now)
  announceEmoji(context, 'emoji.deleted', emoji)
  return undefined
}

export { remove as delete }

function announceEmoji(context: WriteContext, type: 'emoji.created' | 'emoji.deleted', row: CustomEmojiRow) {
  const emoji = toCustomEmoji(context.links, context.viewer, row)
  context.announce(type, emoji)
  return emoji
}
