import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import { openQueue } from '../limits/queue'

/** Larger pictures are scaled down to this before they are cropped. */
export const WORK_SIZE = 2_048

/** One at a time: each takes tens of megabytes. */
const enqueue = openQueue(1, 16)

/**
 * Crops a picture to the square in its middle, as WebP without metadata. `source` is its path, or its bytes; `viewer` the key
 * of whoever uploads it.
 */
export const cropPicture = (
  source: string | Uint8Array,
  size: number,
  maxPixels: number,
  viewer: number,
): Promise<Uint8Array> =>
  enqueue(async () => {
    const plain = await new Bun.Image(source, { maxPixels })
      .resize(WORK_SIZE, WORK_SIZE, { fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 0 })
      .buffer()
    return new Bun.Image(await cropToSquare(plain)).resize(size, size).webp({ quality: 86 }).bytes()
  }, viewer)

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BYTES_PER_PIXEL = 4

/** Crops a PNG as `Bun.Image` writes it (8-bit RGBA, unfiltered) to the square in its center. */
async function cropToSquare(png: Buffer): Promise<Buffer> {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const rows = await promisify(inflate)(Buffer.concat([...chunks(png, 'IDAT')]))
  const size = Math.min(width, height)
  const [left, top] = [(width - size) >> 1, (height - size) >> 1]
  const [from, to] = [1 + width * BYTES_PER_PIXEL, 1 + size * BYTES_PER_PIXEL]
  const cut = Buffer.alloc(to * size)
  for (let y = 0; y < size; y++) {
    const start = (top + y) * from
    if (rows[start] !== 0) throw new Error('A row of the picture is filtered.')
    rows.copy(cut, y * to + 1, start + 1 + left * BYTES_PER_PIXEL, start + 1 + (left + size) * BYTES_PER_PIXEL)
  }
  const header = Buffer.from(png.subarray(16, 16 + 13))
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  const pixels = await promisify(deflate)(cut, { level: 0 } as never)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', pixels as Buffer),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function* chunks(png: Buffer, wanted: string) {
  for (let at = SIGNATURE.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === wanted) yield png.subarray(at + 8, at + 8 + length)
    at += 12 + length
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(named))
  return Buffer.concat([head, named, tail])
}
