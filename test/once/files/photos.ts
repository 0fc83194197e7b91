import { crc32 } from 'node:zlib'
import { bitmap } from '../../me/pictures'

/** Stands for the place where a photo was taken. It must not be in any file that is served. */
export const PLACE = 'GPS-52.5200N-13.4050E'

/** 3 × 2 quarters of different colours, so that turning it shows. */
const pixels = (width: number, height: number) =>
  bitmap(width, height, (x, y) => [x < width / 2 ? 250 : 10, y < height / 2 ? 240 : 20, 90])

const u16 = (value: number) => [value >> 8, value & 255]
const u32 = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]
const bytes = (...parts: (string | number[] | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))
const u32le = (value: number) => u32(value).reverse()

/** A TIFF structure with an orientation, a place in its GPS directory, and XMP. */
export function exif(orientation: number): Buffer {
  const place = bytes(PLACE, [0])
  const gpsAt = 8 + 2 + 3 * 12 + 4
  const placeAt = gpsAt + 2 + 12 + 4
  const xmpAt = placeAt + place.length
  return bytes(
    ...['MM', u16(42), u32(8), u16(3)],
    ...[u16(0x0112), u16(3), u32(1), u16(orientation), u16(0)],
    ...[u16(700), u16(1), u32(place.length), u32(xmpAt)],
    ...[u16(0x8825), u16(4), u32(1), u32(gpsAt), u32(0)],
    ...[u16(1), u16(0x001d), u16(2), u32(place.length), u32(placeAt), u32(0)],
    ...[place, place],
  )
}

/** The same as a raw photo: Adobe's has a tag of its own, Canon's a mark after the header. */
export function dng(): Buffer {
  const photo = exif(1)
  photo.writeUInt16BE(50_706, 10 + 12)
  return photo
}
export const cr2 = (): Buffer => bytes('II', [42, 0], u32le(16), 'CR', [2, 0, 0, 0, 0, 0], exif(1))

export const bmp = (): Buffer => Buffer.from(pixels(60, 40))

const segment = (marker: number, data: Uint8Array) => bytes([0xff, marker], u16(data.length + 2), data)

/** A photo with the place in EXIF, XMP, IPTC, a comment, and in what follows the image. */
export async function jpegPhoto(orientation = 1): Promise<Buffer> {
  const plain = Buffer.from(await new Bun.Image(pixels(60, 40)).jpeg({ quality: 90 }).bytes())
  return bytes(
    plain.subarray(0, 2),
    segment(0xe1, bytes('Exif\0\0', exif(orientation))),
    segment(0xe1, bytes('http://ns.adobe.com/xap/1.0/\0', PLACE)),
    segment(0xed, bytes('Photoshop 3.0\0', PLACE)),
    segment(0xe2, bytes('MPF\0', PLACE)),
    segment(0xfe, bytes(PLACE)),
    plain.subarray(2),
    segment(0xe1, bytes('Exif\0\0', exif(1))),
    PLACE,
  )
}

const chunk = (type: string, data: Uint8Array) =>
  bytes(u32(data.length), type, data, u32(crc32(bytes(type, data)) >>> 0))

export async function pngPhoto(): Promise<Buffer> {
  const plain = Buffer.from(await new Bun.Image(pixels(60, 40)).png().bytes())
  const end = plain.length - 12
  return bytes(
    plain.subarray(0, 33),
    chunk('eXIf', exif(1)),
    chunk('tEXt', bytes('Location\0', PLACE)),
    chunk('iTXt', bytes('XML:com.adobe.xmp\0\0\0\0\0', PLACE)),
    chunk('tIME', new Uint8Array(7)),
    chunk('prVt', bytes(PLACE)),
    plain.subarray(33, end),
    chunk('zTXt', bytes('a\0\0', PLACE)),
    plain.subarray(end),
    PLACE,
  )
}

const riffChunk = (type: string, data: Uint8Array) => bytes(type, u32le(data.length), data, data.length % 2 ? [0] : [])

export async function webpPhoto(): Promise<Buffer> {
  const plain = Buffer.from(await new Bun.Image(pixels(60, 40)).webp({ quality: 90 }).bytes())
  const image = plain.subarray(12).toString('latin1', 0, 4) === 'VP8X' ? plain.subarray(30) : plain.subarray(12)
  const header = riffChunk('VP8X', Buffer.from([0x0c, 0, 0, 0, 59, 0, 0, 39, 0, 0]))
  const chunks = bytes(header, image, riffChunk('EXIF', exif(1)), riffChunk('XMP ', bytes(PLACE)))
  return bytes('RIFF', u32le(chunks.length + 4), 'WEBP', chunks)
}

/** Frames of one pixel each on a canvas of this size. */
export function gif(width: number, height: number, frames = 1, extras: Uint8Array = Buffer.alloc(0)): Buffer {
  const size = [width & 255, width >> 8, height & 255, height >> 8]
  const frame = bytes([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0], [2, 2, 0x44, 0x01, 0])
  return bytes('GIF89a', size, [0x80, 0, 0], [0, 0, 0, 255, 255, 255], extras, ...Array(frames).fill(frame), [0x3b])
}

export const gifPhoto = (): Buffer =>
  bytes(
    gif(
      60,
      40,
      2,
      bytes(
        ...[[0x21, 0xff, 11], 'NETSCAPE2.0', [3, 1, 0, 0, 0]],
        ...[[0x21, 0xff, 11], 'XMP DataXMP', [PLACE.length], PLACE, [0]],
        ...[[0x21, 0xfe, PLACE.length], PLACE, [0]],
      ),
    ),
    PLACE,
  )

const box = (type: string, ...content: (string | number[] | Uint8Array)[]) => {
  const data = bytes(...content)
  return bytes(u32(data.length + 8), type, data)
}
const zeros = (count: number) => new Uint8Array(count)

/** The boxes of a HEIC photo of 60 × 40, turned by 90°, without anything that could be decoded. */
export function heicPhoto(): Buffer {
  const type = box('ftyp', 'heic', zeros(4), 'mif1heic')
  const make = (dataAt: number) => {
    const info = (id: number, kind: string) => box('infe', [2, 0, 0, 0], u16(id), u16(0), kind, [0])
    const location = (id: number, at: number, length: number) => [u16(id), u16(0), u16(1), u32(at), u32(length)]
    return box(
      'meta',
      zeros(4),
      box('iinf', zeros(4), u16(3), info(1, 'hvc1'), info(2, 'Exif'), info(3, 'mime')),
      box(
        'iloc',
        ...[zeros(4), [0x44, 0x00], u16(3)],
        ...location(1, dataAt, 4),
        ...location(2, dataAt + 4, PLACE.length),
        ...location(3, dataAt + 4 + PLACE.length, PLACE.length),
      ),
      box('iprp', box('ipco', box('ispe', zeros(4), u32(60), u32(40)), box('irot', [1]))),
    )
  }
  const dataAt = type.length + make(0).length + 8
  // Android appends a movie to a photo that moves.
  return bytes(type, make(dataAt), box('mdat', 'data', PLACE, PLACE), box('mpvd', movie()))
}

/** A movie of 1920 × 1080, held upright, with the place where phones write it. */
export function movie(): Buffer {
  const matrix = [u32(0), u32(0x10000), u32(0), u32(0xffff0000), u32(0), u32(0), u32(0), u32(0), u32(0x40000000)]
  const header = box('tkhd', zeros(40), ...matrix, u32(1920 << 16), u32(1080 << 16))
  const place = box('udta', box('\xa9xyz', PLACE))
  return bytes(
    box('ftyp', 'mp42', zeros(4), 'mp42isom'),
    box('mdat', 'pictures'),
    box('moov', box('mvhd', zeros(100)), box('trak', header, place), box('meta', PLACE), place),
    box('uuid', PLACE),
  )
}

/** A WebM video of 640 × 360 as browsers record it, with a cluster of unknown length, and tags. */
export const webm = (): Buffer =>
  bytes(
    [0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84],
    'webm',
    [0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x16, 0x54, 0xae, 0x6b, 0x8c, 0xae, 0x8a, 0xe0, 0x88, 0xb0, 0x82, 0x02, 0x80, 0xba, 0x82, 0x01, 0x68],
    [0x1f, 0x43, 0xb6, 0x75, 0xff, 0xa3, 0x88],
    'mdatdata',
    [0x12, 0x54, 0xc3, 0x67, 0x80 + PLACE.length],
    PLACE,
    [0xa3, 0x84, 1, 2, 3, 4],
  )
