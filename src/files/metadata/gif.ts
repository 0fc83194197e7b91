import { BrokenFile, type ByteReader } from '../reader'
import { openPieces, type Scan } from './pieces'

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const COMMENT = 0xfe
const APPLICATION = 0xff
/** Keeps the extensions for loops and colours. Removes the extensions of other applications, above all XMP. */
const KEPT_APPLICATIONS = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

const paletteBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0)

export async function scanGif(reader: ByteReader): Promise<Scan> {
  const pieces = openPieces()
  const head = await reader.read(0, 13)
  const [width, height] = [head.readUInt16LE(6), head.readUInt16LE(8)]
  if (width === 0 || height === 0) throw new BrokenFile('It has no size.')
  let at = 13 + paletteBytes(head[10]!)
  pieces.keep(0, at)
  let [frames, pixels] = [0, 0]
  while (at < reader.size) {
    const [kind] = await reader.read(at, 1)
    if (kind === TRAILER) break
    if (kind === IMAGE) {
      const image = await reader.read(at, 10)
      frames += 1
      pixels += Math.max(width * height, image.readUInt16LE(5) * image.readUInt16LE(7))
      const end = await skipBlocks(reader, at + 10 + paletteBytes(image[9]!) + 1)
      pieces.keep(at, end)
      at = end
    } else if (kind === EXTENSION) {
      const end = await skipBlocks(reader, at + 2)
      if (await isKept(reader, at)) pieces.keep(at, end)
      at = end
    } else throw new BrokenFile('It has an unknown block.')
  }
  if (frames === 0) throw new BrokenFile('It has no image data.')
  if (at < reader.size) pieces.keep(at, at + 1)
  else pieces.insert(Uint8Array.of(TRAILER))
  return { width, height, animatedPixels: frames > 1 ? pixels : 0, pieces: pieces.list }
}

async function isKept(reader: ByteReader, at: number): Promise<boolean> {
  const label = (await reader.read(at + 1, 1))[0]
  if (label === COMMENT) return false
  if (label !== APPLICATION) return true
  const length = (await reader.read(at + 2, 1))[0]!
  return length === 11 && KEPT_APPLICATIONS.includes((await reader.read(at + 3, 11)).toString('latin1'))
}

/** Finds the end of a chain of blocks. Most of a file consists of such chains, so they are followed in memory. */
async function skipBlocks(reader: ByteReader, from: number): Promise<number> {
  for (let at = from; ; ) {
    const window = await reader.window(at)
    if (window.length === 0) throw new BrokenFile('The file ends too early.')
    let index = 0
    while (index < window.length) {
      const length = window[index]!
      if (length === 0) return at + index + 1
      index += length + 1
    }
    at += index
  }
}
