import { foldCase } from '../../contract/browser/fold'

/** A folded text, and which part of the original each of its UTF-16 units stands for. */
export interface Folded {
  text: string
  /** Undefined if every unit stands for the unit at its own offset. */
  offsets?: Offsets
}

interface Offsets {
  starts: number[]
  ends: number[]
}

export const startOf = ({ offsets }: Folded, unit: number): number => offsets?.starts[unit] ?? unit
export const endOf = ({ offsets }: Folded, unit: number): number => offsets?.ends[unit] ?? unit + 1

/**
 * Removes what a search ignores: case, accents, width, and characters that cannot be seen. What changes a letter stays: the
 * voicing marks of kana, and the vowel signs of Thai and Indic scripts.
 */
export function foldText(original: string): string {
  if (isAscii(original)) return original.toLowerCase()
  const pieces: string[] = []
  foldPieces(original, (piece) => pieces.push(piece))
  return pieces.join('').normalize('NFC')
}

export function foldWithOffsets(original: string): Folded {
  if (isAscii(original)) return { text: original.toLowerCase() }
  const pieces: string[] = []
  let offsets: Offsets | undefined
  foldPieces(original, (piece, start, end, isSame) => {
    pieces.push(piece)
    const hasOwnOffset = isSame || (piece.length === 1 && end - start === 1)
    if (!offsets && hasOwnOffset) return
    offsets ??= sameOffsets(start)
    addOffsets(offsets, piece, start, end, hasOwnOffset)
  })
  const text = pieces.join('')
  return text === text.normalize('NFC') ? { text, offsets } : compose(text, offsets ?? sameOffsets(text.length))
}

/** The offsets of units that all stand for the unit at their own offset. */
const sameOffsets = (length: number): Offsets => ({
  starts: Array.from({ length }, (_, unit) => unit),
  ends: Array.from({ length }, (_, unit) => unit + 1),
})

function addOffsets({ starts, ends }: Offsets, piece: string, start: number, end: number, hasOwnOffset: boolean): void {
  // A dropped character belongs to the one before it, as accents do.
  if (piece === '' && ends.length > 0) ends[ends.length - 1] = end
  for (let unit = 0; unit < piece.length; unit++) {
    starts.push(hasOwnOffset ? start + unit : start)
    ends.push(hasOwnOffset ? start + unit + 1 : end)
  }
}

const isAscii = (text: string) => !/[^\x00-\x7f]/.test(text)

/** A piece stands for `start` to `end`, or, if `isSame`, unit by unit for as many units as it has. */
type EmitPiece = (piece: string, start: number, end: number, isSame: boolean) => void

/** Folds stretches in which only the case of ASCII letters changes at once, and other code points one by one. */
function foldPieces(text: string, emit: EmitPiece): void {
  let done = 0
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at)!
    let end = at + (point > 0xffff ? 2 : 1)
    if (point < 0x80 || isUnchanged(point)) {
      at = end
      continue
    }
    if (done < at) emit(text.slice(done, at).toLowerCase(), done, at, true)
    if (point === JOINER) end += joinedLength(text, at)
    emit(replacements.get(point)!, at, end, false)
    at = done = end
  }
  if (done < text.length) emit(text.slice(done).toLowerCase(), done, text.length, true)
}

/** The folded form of each code point, computed once. */
const [UNKNOWN, UNCHANGED, CHANGED] = [0, 1, 2]
const effects = new Uint8Array(0x110000)
const replacements = new Map<number, string>()

function isUnchanged(point: number): boolean {
  if (effects[point] === UNKNOWN) {
    const character = String.fromCodePoint(point)
    const piece = foldCharacter(character)
    effects[point] = piece === character ? UNCHANGED : CHANGED
    if (piece !== character) replacements.set(point, piece)
  }
  return effects[point] === UNCHANGED
}

function foldCharacter(character: string): string {
  if (PICTOGRAPH.test(character)) return character
  const bare = character.replace(SEPARATORS, ' ').normalize('NFKD').replace(SEPARATORS, ' ').replace(IGNORED, '')
  // There and back makes ς and ß what their capitals are.
  return foldCase(bare.toUpperCase()).normalize('NFC')
}

const JOINER = 0x200d

/** The length of the pictograph that a joiner joins to another, as in 👩‍💻. Together they are the first one. */
function joinedLength(text: string, joiner: number): number {
  JOINED.lastIndex = joiner
  return JOINED.exec(text)?.[1]!.length ?? 0
}

/** Symbols that people use as words. */
const PICTOGRAPH = /[\p{Extended_Pictographic}--\p{P}--[©®™Ⓜ]]/v
const JOINED = /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)\u200d(\p{Extended_Pictographic})/vy
/** Symbols and apostrophes, which are not part of a word, even if their compatibility mapping has letters. */
const SEPARATORS = /[©®™℠ʻʼʽ\p{Surrogate}]/gv
/** Accents, points and what cannot be seen. Not the voicing marks of kana: か is not が. */
const IGNORED =
  /[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}ـ[\p{M}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Cyrillic}]&&[^\u3099\u309a]]]/gv

/** A character and what may be composed with it: marks, and the vowels and final consonants of Hangul. */
const COMPOSED = /.[\p{M}\u1160-\u11ff]*/gsu

/** Composes what folding left decomposed; each unit of a composed group stands for the whole group. */
function compose(text: string, { starts, ends }: Offsets): Folded {
  const pieces: string[] = []
  const offsets: Offsets = { starts: [], ends: [] }
  for (const { 0: group, index } of text.matchAll(COMPOSED)) {
    const piece = group.normalize('NFC')
    const isSame = piece === group
    const last = index + group.length - 1
    pieces.push(piece)
    for (let unit = 0; unit < piece.length; unit++) {
      offsets.starts.push(starts[isSame ? index + unit : index]!)
      offsets.ends.push(ends[isSame ? index + unit : last]!)
    }
  }
  return { text: pieces.join(''), offsets }
}
