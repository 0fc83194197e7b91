import { BrokenFile, type ByteReader } from '../reader'
import { fillRanges } from './pieces'
import type { Scan } from './scan'

const [WIDTH, HEIGHT, ORIENTATION] = [256, 257, 274]
const [SUB_DIRECTORIES, EXIF, GPS] = [330, 34_665, 34_853]
/** XMP, IPTC and Photoshop's records. */
const METADATA = [700, 33_723, 34_377]
const VALUE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
const MAX_DIRECTORIES = 200
const MAX_ENTRIES = 1_000

interface Entry {
  tag: number
  /** The position of the values, and their size in bytes. */
  at: number
  bytes: number
  count: number
  type: number
}
interface Directory {
  at: number
  entries: Entry[]
  end: number
  next: number
}

/** TIFF, and raw photos that are based on it. Nothing in the file may move, so metadata is overwritten in place. */
export async function scanTiff(reader: ByteReader): Promise<Scan> {
  const isLittle = (await reader.read(0, 2)).toString('latin1') === 'II'
  const u16 = async (at: number) => {
    const bytes = await reader.read(at, 2)
    return isLittle ? bytes.readUInt16LE() : bytes.readUInt16BE()
  }
  const u32 = async (at: number) => {
    const bytes = await reader.read(at, 4)
    return isLittle ? bytes.readUInt32LE() : bytes.readUInt32BE()
  }

  async function readDirectory(at: number): Promise<Directory> {
    const count = await u16(at)
    if (count > MAX_ENTRIES) throw new BrokenFile('A directory is too long.')
    const entries: Entry[] = []
    for (let entry = at + 2; entry < at + 2 + count * 12; entry += 12) {
      const [tag, type, values] = [await u16(entry), await u16(entry + 2), await u32(entry + 4)]
      const bytes = (VALUE_BYTES[type] ?? 0) * values
      entries.push({ tag, type, count: values, bytes, at: bytes > 4 ? await u32(entry + 8) : entry + 8 })
    }
    const end = at + 2 + count * 12
    return { at, entries, end: end + 4, next: end + 4 <= reader.size ? await u32(end) : 0 }
  }
  const readValue = ({ type, at }: Entry) => (type === 3 ? u16(at) : u32(at))

  const blanked: { from: number; to: number }[] = []
  const size: Record<number, number> = {}
  const waiting = [await u32(4)]
  const visited = new Set<number>()
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (at === 0 || visited.has(at)) continue
    if (visited.add(at).size > MAX_DIRECTORIES) throw new BrokenFile('It has too many directories.')
    const directory = await readDirectory(at)
    waiting.push(directory.next)
    for (const entry of directory.entries) {
      if ([WIDTH, HEIGHT, ORIENTATION].includes(entry.tag)) size[entry.tag] ??= await readValue(entry)
      if (METADATA.includes(entry.tag)) blanked.push({ from: entry.at, to: entry.at + entry.bytes })
      if (entry.tag === EXIF) waiting.push(await u32(entry.at))
      if (entry.tag === SUB_DIRECTORIES)
        for (let index = 0; index < Math.min(entry.count, MAX_DIRECTORIES); index++)
          waiting.push(await u32(entry.at + index * 4))
      if (entry.tag === GPS) blanked.push(...coverDirectory(await readDirectory(await u32(entry.at))))
    }
  }
  const isTurned = (size[ORIENTATION] ?? 1) >= 5 && size[ORIENTATION]! <= 8
  const [width, height] = [size[WIDTH] || null, size[HEIGHT] || null]
  return {
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    animatedPixels: 0,
    pieces: fillRanges(reader.size, blanked),
  }
}

/** A directory of zeros has no entries, and no successor. */
const coverDirectory = ({ at, end, entries }: Directory) => [
  { from: at, to: end },
  ...entries.filter(({ bytes }) => bytes > 4).map((entry) => ({ from: entry.at, to: entry.at + entry.bytes })),
]
