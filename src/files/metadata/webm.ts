import { BrokenFile, type ByteReader } from '../reader'
import { fillRanges, type Range, type Scan } from './pieces'

const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const VIDEO = 0xe0
const WIDTH = 0xb0
const HEIGHT = 0xba
const CLUSTER = 0x1f43b675
/** Elements with metadata about the recording, such as its location. */
const TAGS = 0x1254c367
const VOID = 0xec
const CONTAINERS = [SEGMENT, TRACKS, TRACK, VIDEO]
/** Recordings by browsers have many elements, because their clusters do not state their length. */
const MAX_ELEMENTS = 150_000
const MAX_HEADER_BYTES = 12

interface Size {
  width: number | null
  height: number | null
}

/** WebM and Matroska. Tags are overwritten in place, because the file refers to its elements by position. */
export async function scanWebm(reader: ByteReader): Promise<Scan> {
  const size: Size = { width: null, height: null }
  const tags: Range[] = []
  try {
    await scanElements(reader, size, tags)
  } catch (error) {
    // A recording that was cut off can still be played.
    if (!(error instanceof BrokenFile) || size.width === null) throw error
  }
  return { ...size, animatedPixels: 0, pieces: fillRanges(reader.size, tags) }
}

/** Finds the size of the first video track, and the positions of the tags. */
async function scanElements(reader: ByteReader, size: Size, tags: Range[]): Promise<void> {
  let at = 0
  for (let elements = 0; elements < MAX_ELEMENTS && at + 2 <= reader.size; elements++) {
    const { id, content, length } = await readHeader(reader, at)
    // Elements of these kinds are entered, all others skipped.
    if (CONTAINERS.includes(id) || (id === CLUSTER && length === undefined)) {
      at = content
      continue
    }
    if (length === undefined) return
    if (id === WIDTH) size.width ??= await readUnsigned(reader, content, length)
    if (id === HEIGHT) size.height ??= await readUnsigned(reader, content, length)
    const end = content + length
    if (id === TAGS) tags.push(...voidElement(at, Math.min(end, reader.size)))
    at = end
  }
}

/** Replaces an element by one that every player skips. */
function voidElement(from: number, to: number): Range[] {
  const header = Buffer.alloc(Math.min(9, to - from))
  header[0] = VOID
  const length = to - from - header.length
  if (header.length === 9) {
    header[1] = 0x01
    header.writeUIntBE(length, 3, 6)
  } else header[1] = 0x80 | (to - from - 2)
  return [
    { from, to: from + header.length, bytes: header },
    { from: from + header.length, to },
  ]
}

/** The id of an element, and the position and length of its content. The length may be unknown. */
async function readHeader(reader: ByteReader, at: number) {
  const head = await reader.read(at, Math.min(MAX_HEADER_BYTES, reader.size - at))
  const id = readNumber(head, 0, 4)
  const length = readNumber(head, id.bytes, 8)
  const isUnknown = length.value === 2 ** (7 * length.bytes) - 1
  return {
    id: id.value + 2 ** (7 * id.bytes),
    content: at + id.bytes + length.bytes,
    length: isUnknown ? undefined : length.value,
  }
}

/** A number of variable length, without the bit that marks its length. Ids include this bit. */
function readNumber(head: Buffer, at: number, maxBytes: number): { value: number; bytes: number } {
  const bytes = Math.clz32(head[at] ?? 0) - 23
  if (bytes > maxBytes || at + bytes > head.length) throw new BrokenFile('A number is too long.')
  let value = head[at]! & (0xff >> bytes)
  for (const byte of head.subarray(at + 1, at + bytes)) value = value * 256 + byte
  return { value, bytes }
}

async function readUnsigned(reader: ByteReader, at: number, length: number): Promise<number | null> {
  if (length < 1 || length > 4) return null
  const value = (await reader.read(at, length)).readUIntBE(0, length)
  return value > 0 && value <= 65_535 ? value : null
}
