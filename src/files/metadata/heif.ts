import { BrokenFile, type ByteReader } from '../reader'
import { type Box, findForeign, freeBoxes, listBoxes, openBudget } from './movie'
import { fillRanges, type Scan } from './pieces'

const MAX_ITEMS = 10_000

/** HEIC and AVIF. The items that hold EXIF and XMP are filled with zeros in place. */
export async function scanHeif(reader: ByteReader): Promise<Scan> {
  const budget = openBudget()
  const list = (from: number, to: number) => listBoxes(reader, from, to, budget)
  const top = await list(0, reader.size)
  const meta = top.find(({ type }) => type === 'meta')
  if (!meta) throw new BrokenFile('It has no description of the image.')
  // Four bytes of version and flags come first.
  const parts = await list(meta.content + 4, meta.end)
  const find = (type: string) => parts.find((box) => box.type === type)
  const [items, locations] = [find('iinf'), find('iloc')]
  if (!items || !locations) throw new BrokenFile('It has no list of items.')

  const metadata = await findMetadata(reader, items, list)
  const blanked = await locate(reader, locations, metadata, find('idat'))
  const others = findForeign(top).filter((box) => box !== meta)
  return {
    ...(await readSize(reader, find('iprp'), list)),
    animatedPixels: 0,
    pieces: fillRanges(reader.size, [...blanked, ...freeBoxes(others)]),
  }
}

type List = (from: number, to: number) => Promise<Box[]>

/** The numbers of the items that hold metadata. */
async function findMetadata(reader: ByteReader, items: Box, list: List): Promise<Set<number>> {
  const version = (await reader.read(items.content, 1))[0]!
  const entries = await list(items.content + (version === 0 ? 6 : 8), items.end)
  const found = new Set<number>()
  for (const entry of entries.filter(({ type }) => type === 'infe')) {
    const head = await reader.read(entry.content, Math.min(16, entry.end - entry.content))
    const isLong = head[0] === 3
    if (head.length < (isLong ? 14 : 12) || head[0]! < 2) continue
    const id = isLong ? head.readUInt32BE(4) : head.readUInt16BE(4)
    const type = head.toString('latin1', isLong ? 10 : 8, isLong ? 14 : 12)
    // `mime` is XMP; images are of other types.
    if (type === 'Exif' || type === 'mime' || type === 'uri ') found.add(id)
  }
  return found
}

/** Where the bytes of these items are. */
async function locate(reader: ByteReader, box: Box, wanted: Set<number>, data: Box | undefined) {
  const ranges: { from: number; to: number }[] = []
  if (wanted.size === 0) return ranges
  let at = box.content
  const take = async (bytes: number) => {
    if (at + bytes > box.end) throw new BrokenFile('The list of items ends too early.')
    const buffer = await reader.read(at, bytes)
    at += bytes
    return bytes === 0 ? 0 : bytes === 8 ? Number(buffer.readBigUInt64BE()) : buffer.readUIntBE(0, bytes)
  }
  const version = await take(1)
  await take(3)
  const sizes = await take(2)
  const [offsetBytes, lengthBytes, baseBytes] = [(sizes >> 12) & 15, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexBytes = version === 0 ? 0 : sizes & 15
  if ([offsetBytes, lengthBytes, baseBytes, indexBytes].some((bytes) => ![0, 4, 8].includes(bytes)))
    throw new BrokenFile('The list of items is not valid.')
  const count = await take(version < 2 ? 2 : 4)
  if (count > MAX_ITEMS) throw new BrokenFile('It has too many items.')
  for (let item = 0; item < count; item++) {
    const id = await take(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : (await take(2)) & 15
    await take(2)
    const base = await take(baseBytes)
    const extents = await take(2)
    for (let extent = 0; extent < extents; extent++) {
      await take(indexBytes)
      const offset = await take(offsetBytes)
      const length = await take(lengthBytes)
      if (!wanted.has(id)) continue
      const origin = method === 1 ? (data?.content ?? Number.NaN) : method === 0 ? 0 : Number.NaN
      const from = origin + base + offset
      if (!(from >= 0)) throw new BrokenFile('An item is nowhere.')
      ranges.push({ from, to: length === 0 ? reader.size : from + length })
    }
  }
  return ranges
}

/** The largest of all sizes in the file is that of the whole image. The others belong to tiles and thumbnails. */
async function readSize(reader: ByteReader, properties: Box | undefined, list: List) {
  const size: { width: number | null; height: number | null } = { width: null, height: null }
  if (!properties) return size
  const container = (await list(properties.content, properties.end)).find(({ type }) => type === 'ipco')
  if (!container) return size
  let isTurned = false
  for (const { type, content, end } of await list(container.content, container.end)) {
    if (type === 'irot' && end > content) isTurned ||= (await reader.read(content, 1))[0]! % 2 === 1
    if (type !== 'ispe' || end - content < 12) continue
    const data = await reader.read(content, 12)
    const [width, height] = [data.readUInt32BE(4), data.readUInt32BE(8)]
    if (width * height > (size.width ?? 0) * (size.height ?? 0)) Object.assign(size, { width, height })
  }
  return isTurned ? { width: size.height, height: size.width } : size
}
