import { BrokenFile, type ByteReader } from '../reader'
import type { Hold } from '../space'
import { writeStaged } from '../staging'
import type { StagedFile } from '../storage'

/** A piece of the new file: a part of the old one, new bytes, or zeros. */
export type Piece = { from: number; to: number } | { bytes: Uint8Array } | { zeros: number }

/** No real photo has so many pieces. A file that was made to exhaust the memory would. */
const MAX_PIECES = 20_000
const ZEROS = new Uint8Array(64 * 1024)

/** Collects the parts of a file to keep. All others are removed. */
export function openPieces() {
  const list: Piece[] = []
  const add = (piece: Piece) => {
    if (list.push(piece) > MAX_PIECES) throw new BrokenFile('It has too many parts.')
  }
  return {
    list,
    keep(from: number, to: number) {
      const last = list.at(-1)
      if (last && 'to' in last && last.to === from) last.to = to
      else if (to > from) add({ from, to })
    },
    insert: (bytes: Uint8Array) => add({ bytes }),
    zeros: (length: number) => add({ zeros: length }),
  }
}
export type Pieces = ReturnType<typeof openPieces>

/** A part of a file that is overwritten with zeros, or with other bytes of the same length. */
export interface Range {
  from: number
  to: number
  bytes?: Uint8Array
}

/** The file with these parts overwritten, so that nothing in it moves. */
export function fillRanges(size: number, ranges: readonly Range[]): Piece[] {
  const pieces = openPieces()
  let at = 0
  for (const { from, to, bytes } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from < 0 || to > size || to < from) throw new BrokenFile('A part lies outside of the file.')
    if (to <= at) continue
    const start = Math.max(at, from)
    pieces.keep(at, start)
    if (bytes && start === from) pieces.insert(bytes)
    else pieces.zeros(to - start)
    at = to
  }
  pieces.keep(at, size)
  return pieces.list
}

/** Whether the pieces are the whole file, unchanged. */
export function isUnchanged(pieces: readonly Piece[], size: number): boolean {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined && 'from' in first && first.from === 0 && first.to === size
}

export const sizeOf = (pieces: readonly Piece[]): number =>
  pieces.reduce(
    (sum, piece) =>
      sum + ('from' in piece ? piece.to - piece.from : 'bytes' in piece ? piece.bytes.length : piece.zeros),
    0,
  )

/** Writes the pieces as a new staged file. */
export function assemble(
  reader: ByteReader,
  pieces: readonly Piece[],
  folder: string,
  hold?: Hold,
): Promise<StagedFile> {
  const fill = async (write: (bytes: Uint8Array) => Promise<void>) => {
    for (const piece of pieces) {
      if ('bytes' in piece) await write(piece.bytes)
      else if ('zeros' in piece)
        for (let left = piece.zeros; left > 0; left -= ZEROS.length)
          await write(ZEROS.subarray(0, Math.min(left, ZEROS.length)))
      else
        for (let at = piece.from; at < piece.to; ) {
          const window = await reader.window(at)
          if (window.length === 0) throw new BrokenFile('The file ends too early.')
          const part = window.subarray(0, piece.to - at)
          await write(part)
          at += part.length
        }
    }
  }
  return writeStaged(folder, fill, hold)
}

/** The size of an image or a video, and the file without metadata. */
export interface Scan {
  /** The size in which it is shown, in pixels; null if it is not known. */
  width: number | null
  height: number | null
  /** The pixels of all frames together; 0 if there is only one frame. */
  animatedPixels: number
  /** The file without location and other metadata. */
  pieces: Piece[]
}
