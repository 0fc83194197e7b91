import { BrokenFile, type ByteReader } from '../reader'
import { openPieces, type Pieces, type Scan } from './pieces'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const COM = 0xfe
/** Each scan of a progressive image goes over all pixels. Cameras and programs write about ten. */
const MAX_SCANS = 200

/** Markers that stand alone, without a length and data. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= SOI)
/** Start-of-frame markers, whose segments contain the size. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const isApplication = (marker: number) => marker >= 0xe0 && marker <= 0xef

interface State {
  pieces: Pieces
  size: { width: number; height: number } | undefined
  orientation: number
  scans: number
}

/**
 * Removes comments, and all application segments except the ones that affect how the pixels look (JFIF, ICC profile, Adobe). Also
 * removes everything after the image, where phones append whole images and videos with their own metadata.
 */
export async function scanJpeg(reader: ByteReader): Promise<Scan> {
  const state: State = { pieces: openPieces(), size: undefined, orientation: 1, scans: 0 }
  state.pieces.keep(0, 2)
  let at = 2
  while (true) {
    const found = await findMarker(reader, at)
    if (!found) {
      if (state.scans === 0) throw new BrokenFile('It has no image data.')
      break // Only the end marker is missing.
    }
    const { start, marker } = found
    if (marker === EOI) {
      state.pieces.keep(start, start + 2)
      break
    }
    at = await scanSegment(reader, start, marker, state)
  }
  if (!state.size || state.scans === 0) throw new BrokenFile('It has no image data.')
  const { width, height } = state.size
  const isTurned = state.orientation >= 5
  return {
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    animatedPixels: 0,
    pieces: state.pieces.list,
  }
}

/** Returns where the next segment begins. */
async function scanSegment(reader: ByteReader, start: number, marker: number, state: State): Promise<number> {
  if (isAlone(marker)) {
    state.pieces.keep(start, start + 2)
    return start + 2
  }
  const length = (await reader.read(start + 2, 2)).readUInt16BE()
  if (length < 2) throw new BrokenFile('A segment is too short.')
  const end = start + 2 + length
  const data = await reader.read(start + 4, length - 2)
  if (isApplication(marker) || marker === COM) {
    if (isColour(marker, data)) state.pieces.keep(start, end)
    else keepOrientation(marker, data, state)
    return end
  }
  if (isFrame(marker)) readSize(data, state)
  if (marker !== SOS) {
    state.pieces.keep(start, end)
    return end
  }
  if (++state.scans > MAX_SCANS) throw new BrokenFile('It has too many scans.')
  const next = await endOfScan(reader, end)
  state.pieces.keep(start, next)
  return next
}

function isColour(marker: number, data: Buffer): boolean {
  const name = data.toString('latin1', 0, 12)
  if (marker === 0xe0) return name.startsWith('JFIF\0')
  if (marker === 0xe2) return name === 'ICC_PROFILE\0'
  return marker === 0xee && name.startsWith('Adobe')
}

/** The orientation is needed to show the photo. Nothing else of EXIF is kept. */
function keepOrientation(marker: number, data: Buffer, state: State): void {
  if (marker !== 0xe1 || state.orientation !== 1 || data.toString('latin1', 0, 6) !== 'Exif\0\0') return
  state.orientation = readOrientation(data.subarray(6))
  if (state.orientation !== 1) state.pieces.insert(minimalExif(state.orientation))
}

function minimalExif(orientation: number): Uint8Array {
  const segment = Buffer.from(
    'ffe1002245786966 00004d4d002a0000 0008000101120003 00000001 0000 0000 00000000'.replaceAll(' ', ''),
    'hex',
  )
  segment.writeUInt16BE(orientation, 28)
  return segment
}

function readSize(data: Buffer, state: State): void {
  if (data.length < 6) throw new BrokenFile('A frame is too short.')
  const [height, width] = [data.readUInt16BE(1), data.readUInt16BE(3)]
  if (width === 0 || height === 0) throw new BrokenFile('It has no size.')
  if (state.size && (state.size.width !== width || state.size.height !== height))
    throw new BrokenFile('It has two sizes.')
  state.size = { width, height }
}

/** Finds the next marker. Like decoders, it skips bytes before it that belong to nothing. */
async function findMarker(reader: ByteReader, from: number): Promise<{ start: number; marker: number } | undefined> {
  for (let at = from; ; ) {
    const window = await reader.window(at)
    if (window.length === 0) return undefined
    const index = window.indexOf(0xff)
    if (index < 0) {
      at += window.length
      continue
    }
    at += index
    if (at + 2 > reader.size) return undefined
    const marker = (await reader.read(at, 2))[1]!
    if (marker !== 0xff && marker !== 0x00) return { start: at, marker }
    at += 1
  }
}

/** Finds the end of the data of a scan: the next marker that is neither a stuffed byte nor a restart marker. */
async function endOfScan(reader: ByteReader, from: number): Promise<number> {
  for (let at = from; ; ) {
    const window = await reader.window(at)
    if (window.length === 0) return reader.size
    let index = window.indexOf(0xff)
    while (index >= 0 && index + 1 < window.length) {
      const next = window[index + 1]!
      if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at + index
      index = window.indexOf(0xff, index + (next === 0xff ? 1 : 2))
    }
    if (index < 0) at += window.length
    else if (window.length === 1) return reader.size
    else at += index
  }
}

const ORIENTATION = 0x0112

/** The orientation (1 to 8) in the TIFF structure of EXIF. 1, the usual one, if there is none or it is broken. */
function readOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2)
  if (tiff.length < 14 || (order !== 'II' && order !== 'MM')) return 1
  const u16 = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const u32 = (at: number) => (order === 'II' ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const directory = u32(4)
  if (directory + 2 > tiff.length) return 1
  const count = u16(directory)
  for (let entry = 0; entry < count; entry++) {
    const at = directory + 2 + entry * 12
    if (at + 12 > tiff.length) return 1
    if (u16(at) !== ORIENTATION) continue
    const value = u16(at + 8)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}
