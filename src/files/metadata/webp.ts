import { BrokenFile, type ByteReader } from '../reader'
import { openPieces, type Scan, sizeOf } from './pieces'

const KEPT = ['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']
const EXIF_FLAG = 0x08
const XMP_FLAG = 0x04

interface Size {
  width: number
  height: number
}

export async function scanWebp(reader: ByteReader): Promise<Scan> {
  const head = await reader.read(0, 12)
  const end = 8 + head.readUInt32LE(4)
  if (end > reader.size) throw new BrokenFile('The file ends too early.')
  const pieces = openPieces()
  let canvas: Size | undefined
  let image: Size | undefined
  let animatedPixels = 0
  for (let at = 12; at + 8 <= end; ) {
    const chunk = await reader.read(at, 8)
    const [type, length] = [chunk.toString('latin1', 0, 4), chunk.readUInt32LE(4)]
    const next = at + 8 + length + (length % 2)
    if (at + 8 + length > end) throw new BrokenFile('A chunk is longer than the file.')
    if (type === 'VP8X') {
      if (canvas || image) throw new BrokenFile('It has two headers.')
      const data = Buffer.from(await reader.read(at, 18))
      canvas = { width: 1 + data.readUIntLE(12, 3), height: 1 + data.readUIntLE(15, 3) }
      data[8] = data[8]! & ~(EXIF_FLAG | XMP_FLAG)
      pieces.insert(data)
      pieces.keep(at + 18, Math.min(next, end))
    } else if (KEPT.includes(type)) pieces.keep(at, Math.min(next, end))
    if (type === 'VP8 ' || type === 'VP8L') image ??= await readSize(reader, at, type)
    if (type === 'ANMF') {
      const frame = await reader.read(at + 8, 16)
      image ??= { width: 0, height: 0 }
      animatedPixels += (1 + frame.readUIntLE(6, 3)) * (1 + frame.readUIntLE(9, 3))
    }
    at = next
  }
  if (!image) throw new BrokenFile('It has no image data.')
  if (canvas && animatedPixels === 0 && (canvas.width !== image.width || canvas.height !== image.height))
    throw new BrokenFile('It has two sizes.')
  const header = Buffer.from(head)
  header.writeUInt32LE(4 + sizeOf(pieces.list), 4)
  const isSame = sizeOf(pieces.list) === reader.size - 12 && !(await hasMetadataFlags(reader))
  return {
    ...(canvas ?? image),
    animatedPixels,
    pieces: isSame ? [{ from: 0, to: reader.size }] : [{ bytes: header }, ...pieces.list],
  }
}

async function hasMetadataFlags(reader: ByteReader): Promise<boolean> {
  const head = await reader.read(12, 9)
  return head.toString('latin1', 0, 4) === 'VP8X' && (head[8]! & (EXIF_FLAG | XMP_FLAG)) !== 0
}

async function readSize(reader: ByteReader, at: number, type: string): Promise<Size> {
  const data = await reader.read(at + 8, 10)
  if (type === 'VP8L') {
    if (data[0] !== 0x2f) throw new BrokenFile('It has no image data.')
    const bits = data.readUInt32LE(1)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (data.toString('hex', 3, 6) !== '9d012a') throw new BrokenFile('It has no image data.')
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}
