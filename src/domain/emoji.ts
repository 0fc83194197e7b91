import { isCustomEmojiName } from '../contract/browser/constants'

const ONE_EMOJI = /^\p{RGI_Emoji}$/v
const EMOJI_STYLE = '\uFE0F'

/**
 * Returns an emoji in the form in which it is stored, or the name of a custom emoji; undefined if the text is neither. Many emoji
 * can be written with or without the character that asks for the colourful form. Both are the same reaction.
 */
export function normalizeEmoji(text: string): string | undefined {
  if (isCustomEmojiName(text)) return text
  const plain = [...text.replaceAll(EMOJI_STYLE, '')]
  const emoji = plain.map((character, at) => toEmojiStyle(character, plain[at + 1])).join('')
  return ONE_EMOJI.test(emoji) ? emoji : undefined
}

/** An emoji with a skin tone has the colourful form already. */
const toEmojiStyle = (character: string, next = ''): string =>
  /^(?!\p{Emoji_Presentation})\p{Emoji}$/u.test(character) && !/^\p{Emoji_Modifier}/u.test(next)
    ? character + EMOJI_STYLE
    : character
