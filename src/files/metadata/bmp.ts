import { BrokenFile, type ByteReader } from '../reader'
import type { Scan } from './scan'

/** BMP images have no metadata. */
export async function scanBmp(reader: ByteReader): Promise<Scan> {
  const head = await reader.read(0, 26)
  const isOld = head.readUInt32LE(14) === 12
  const width = isOld ? head.readUInt16LE(18) : head.readInt32LE(18)
  const height = Math.abs(isOld ? head.readUInt16LE(20) : head.readInt32LE(22))
  if (width <= 0 || height === 0) throw new BrokenFile('It has no size.')
  return { width, height, animatedPixels: 0, pieces: [{ from: 0, to: reader.size }] }
}
