import { BrokenFile, type ByteReader } from '../reader'
import { openPieces, type Scan } from './pieces'

/** Chunks that affect how the pixels look. All others except the critical ones are removed: texts, EXIF, times and private chunks. */
const KEPT = new Set([
  ...['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'bKGD', 'hIST', 'pHYs', 'sPLT', 'cICP', 'mDCV', 'cLLI'],
  ...['acTL', 'fcTL', 'fdAT'],
])
const isCritical = (type: string) => /^[A-Z][A-Za-z]{3}$/.test(type)
const SIGNATURE_BYTES = 8

export async function scanPng(reader: ByteReader): Promise<Scan> {
  const pieces = openPieces()
  const header = await reader.read(SIGNATURE_BYTES, 25)
  if (header.toString('latin1', 0, 8) !== '\0\0\0\rIHDR') throw new BrokenFile('It has no header.')
  const [width, height] = [header.readUInt32BE(8), header.readUInt32BE(12)]
  if (width === 0 || height === 0) throw new BrokenFile('It has no size.')
  pieces.keep(0, SIGNATURE_BYTES + 25)

  let [hasData, animatedPixels] = [false, 0]
  for (let at = SIGNATURE_BYTES + 25; ; ) {
    const head = await reader.read(at, 8)
    const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
    const end = at + 12 + length
    if (end > reader.size) throw new BrokenFile('A chunk is longer than the file.')
    if (isCritical(type) || KEPT.has(type)) pieces.keep(at, end)
    if (type === 'IHDR') throw new BrokenFile('It has two headers.')
    if (type === 'IDAT') hasData = true
    if (type === 'fcTL') {
      const frame = await reader.read(at + 8, 12)
      animatedPixels += frame.readUInt32BE(4) * frame.readUInt32BE(8)
    }
    if (type === 'IEND') break
    at = end
  }
  if (!hasData) throw new BrokenFile('It has no image data.')
  return { width, height, animatedPixels, pieces: pieces.list }
}
