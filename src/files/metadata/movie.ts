import { BrokenFile, type ByteReader } from '../reader'
import { fillRanges, type Range, type Scan } from './pieces'

/** Boxes in which cameras write the location, the device and other metadata. */
const METADATA = ['udta', 'meta']
/** `uuid` boxes within the movie hold XMP. */
const UUID = 'uuid'
/**
 * The boxes that a movie or an image consists of. Phones add other boxes with metadata: XMP, and whole movies that belong to a
 * photo.
 */
const MAIN = 'ftyp styp pdin moov moof mfra mdat free skip wide sidx ssix prft'.split(' ')
export const findForeign = (top: readonly Box[]): Box[] => top.filter(({ type }) => !MAIN.includes(type))

/** MP4 and QuickTime. Metadata is overwritten in place, because the movie refers to its data by position, so nothing may move. */
export async function scanMovie(reader: ByteReader): Promise<Scan> {
  const budget = openBudget()
  const top = await listBoxes(reader, 0, reader.size, budget)
  const found = findForeign(top)
  let size: { width: number; height: number } | undefined
  for (const movie of top.filter(({ type }) => type === 'moov')) {
    for (const box of await listBoxes(reader, movie.content, movie.end, budget)) {
      if (METADATA.includes(box.type) || box.type === UUID) found.push(box)
      if (box.type !== 'trak') continue
      const parts = await listBoxes(reader, box.content, box.end, budget)
      found.push(...parts.filter(({ type }) => METADATA.includes(type)))
      const header = parts.find(({ type }) => type === 'tkhd')
      if (header) size ??= await readSize(reader, header)
    }
  }
  return {
    width: size?.width ?? null,
    height: size?.height ?? null,
    animatedPixels: 0,
    pieces: fillRanges(reader.size, freeBoxes(found)),
  }
}

/**
 * Turns boxes into boxes of type `free`, filled with zeros, which every player skips. The size of a long box is between its type and
 * its content, and is kept.
 */
export const freeBoxes = (boxes: readonly Box[]): Range[] =>
  boxes.flatMap(({ start, content, end }) => [
    { from: start + 4, to: start + 8, bytes: Buffer.from('free') },
    { from: content, to: end },
  ])

/** The size of a video track, which may be rotated by its matrix. Audio tracks have no size. */
async function readSize(reader: ByteReader, header: Box): Promise<{ width: number; height: number } | undefined> {
  const version = (await reader.read(header.content, 1))[0]
  const matrixAt = header.content + (version === 1 ? 52 : 40)
  if (matrixAt + 44 > header.end) return undefined
  const data = await reader.read(matrixAt, 44)
  const [width, height] = [data.readUInt32BE(36) >>> 16, data.readUInt32BE(40) >>> 16]
  if (width === 0 || height === 0) return undefined
  const isTurned = data.readInt32BE(0) === 0 && data.readInt32BE(16) === 0
  return isTurned ? { width: height, height: width } : { width, height }
}

/** A box of the ISO base media format: MP4, QuickTime, HEIC and AVIF. */
export interface Box {
  type: string
  start: number
  /** The position of its content. */
  content: number
  end: number
}

/** No real file has so many boxes. A file that was made to keep the server busy would. */
const MAX_BOXES = 20_000

/** Lists the boxes between two positions. `budget` is shared by all lists of a file. */
export async function listBoxes(
  reader: ByteReader,
  from: number,
  to: number,
  budget: { boxes: number },
): Promise<Box[]> {
  const boxes: Box[] = []
  // QuickTime ends some lists with four zero bytes.
  for (let start = from; start + 8 <= to; ) {
    if (++budget.boxes > MAX_BOXES) throw new BrokenFile('It has too many parts.')
    const head = await reader.read(start, 8)
    const type = head.toString('latin1', 4, 8)
    let [size, content] = [head.readUInt32BE(0), start + 8]
    if (size === 1) {
      size = Number((await reader.read(start + 8, 8)).readBigUInt64BE())
      content += 8
    } else if (size === 0) size = to - start
    const end = start + size
    if (end < content || end > to) throw new BrokenFile('A part is longer than the file.')
    boxes.push({ type, start, content, end })
    start = end
  }
  return boxes
}

export const openBudget = () => ({ boxes: 0 })
