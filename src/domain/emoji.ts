import { CUSTOM_EMOJI_NAME } from '../contract/emoji'

const ONE_EMOJI = /^\p{RGI_Emoji}$/v
const EMOJI_STYLE = '\uFE0F'
const CUSTOM_NAME = new RegExp(CUSTOM_EMOJI_NAME)

/** Whether this can be the name of a custom emoji. */
export const isCustomEmojiName = (name: string): boolean => CUSTOM_NAME.test(name)

/**
 * One emoji in the one form it is stored in, or the name of a custom emoji; undefined if the text is neither. Many emoji can be
 * written with and without the character that asks for the colourful form: they are the same reaction.
 */
export function normalizeEmoji(text: string): string | undefined {
  if (isCustomEmojiName(text)) return text
  const plain = [...text.replaceAll(EMOJI_STYLE, '')]
  const emoji = plain.map((character, at) => toEmojiStyle(character, plain[at + 1])).join('')
  return ONE_EMOJI.test(emoji) ? emoji : undefined
}

/** A skin tone asks for the colourful form by itself. */
const toEmojiStyle = (character: string, next = ''): string =>
  /^(?!\p{Emoji_Presentation})\p{Emoji}$/u.test(character) && !/^\p{Emoji_Modifier}/u.test(next)
    ? character + EMOJI_STYLE
    : character
