import { isCustomEmojiName } from '../contract/browser/constants'
import { balanceBidi, fold } from '../contract/browser/fold'
import { invalidField } from '../contract/errors'

/** Letters that are joined or kept apart by invisible characters where these scripts are written properly. */
const JOINED = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
].map((script) => `\\p{Script=${script}}`)

/** Invisible characters where they belong: in emoji, after Chinese characters, and between letters that are joined. */
const ALLOWED_INVISIBLE = new RegExp(
  [
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
    `(?<=[${JOINED.join('')}])[\\u200c\\u200d](?=[${JOINED.join('')}])`,
  ].join('|'),
  'gu',
)
/** Control, format and ignorable characters, code points that are no characters, and symbols that look like nothing. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}]/u
const HIDDEN = new RegExp(`(?<kept>${ALLOWED_INVISIBLE.source})|${INVISIBLE.source}`, 'gu')
const DIRECTIONS = '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]'
const HIDDEN_IN_TITLES = new RegExp(`(?<kept>${DIRECTIONS}|${ALLOWED_INVISIBLE.source})|${INVISIBLE.source}`, 'gu')
/** More accents on one letter than any language has: they would cover the lines above and below. */
const STACKED_ACCENTS = /(?:(?=\p{M})\p{Script=Inherited}){5}/u
const VISIBLE = new RegExp(`(?!${INVISIBLE.source})[\\p{L}\\p{N}\\p{P}\\p{S}]`, 'u')

/** Whether a text shows nothing: white space, invisible characters, and accents without a letter. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text)

/** Why a name is not allowed; undefined if it is. Names have to tell people, apps and channels apart. */
export function findNameProblem(name: string): string | undefined {
  // White space is white space, also where it is a control character.
  const shown = name.replace(/[\t-\r]/g, ' ').replace(ALLOWED_INVISIBLE, '')
  if (INVISIBLE.test(shown)) return 'Must not contain invisible or direction-changing characters.'
  if (STACKED_ACCENTS.test(shown)) return 'Must not stack several accents on one character.'
  return isBlank(shown) ? 'Must not be blank.' : undefined
}

/** A name as it is stored. */
export function toName(field: string, given: string): string {
  const problem = findNameProblem(given)
  if (problem) throw invalidField(field, problem)
  return tidy(given)
}

const HANDLE = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u

/** A name that is typed after `@`, as it is stored. */
export function toHandle(field: string, given: string): string {
  const name = toName(field, given.replace(/^@/, '').normalize('NFC'))
  if (!HANDLE.test(name))
    throw invalidField(field, 'Must consist of letters, digits, “-” and “_”, and begin with a letter or digit.')
  return name
}

/** What `@` means something else with, here or in programs that people come from. */
const RESERVED_HANDLES: ReadonlySet<string> = new Set(['channel', 'here', 'everyone', 'all'])

export const isReservedHandle = (name: string): boolean => RESERVED_HANDLES.has(fold(name))

/**
 * A title as it is stored: without invisible characters, and with balanced direction controls, so that text beside it is not
 * reversed. Empty if it is blank.
 */
export const toTitle = (given: string): string =>
  isBlank(given) ? '' : balanceBidi(tidy(given.replace(/[\t-\r]/g, ' ').replace(HIDDEN_IN_TITLES, '$<kept>')))

/** A text without invisible characters, except where they belong. */
export const withoutInvisible = (text: string): string => text.replace(HIDDEN, '$<kept>')

const tidy = (text: string) => text.replace(/\s+/g, ' ').trim()

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
