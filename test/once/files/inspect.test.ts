import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InvalidImage, inspect } from '../../../src/files/inspect'
import { stage } from '../../../src/files/staging'
import * as photos from './photos'

const folder = mkdtempSync(join(tmpdir(), 'parley-inspect-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function inspectBytes(bytes: Uint8Array | string, name = 'file', declaredType?: string) {
  const body = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
  const staged = await stage(body, { folder, maxBytes: 2 ** 30 })
  const inspected = await inspect(staged, { name, declaredType })
  const stored = readFileSync(inspected.staged.path)
  expect(inspected.staged.size).toBe(stored.length)
  expect(inspected.staged.hash).toBe(new Bun.CryptoHasher('sha256').update(stored).digest('hex'))
  rmSync(inspected.staged.path)
  // Neither the original nor anything else stays.
  expect(readdirSync(folder)).toEqual([])
  return { contentType: inspected.contentType, width: inspected.width, height: inspected.height, stored }
}

const decode = async (file: Uint8Array) => new Bun.Image(file).png({ compressionLevel: 0 }).bytes()

describe('metadata', () => {
  const cases: [string, Buffer | Promise<Buffer>, number, number][] = [
    ['image/jpeg', photos.jpegPhoto(), 60, 40],
    ['image/jpeg', photos.jpegPhoto(6), 40, 60],
    ['image/jpeg', photos.jpegPhoto(3), 60, 40],
    ['image/png', photos.pngPhoto(), 60, 40],
    ['image/webp', photos.webpPhoto(), 60, 40],
    ['image/gif', photos.gifPhoto(), 60, 40],
  ]
  test.each(cases)(
    'of an image of type %s is removed, its pixels and orientation stay',
    async (type, made, width, height) => {
      const original = await made
      const { stored, ...facts } = await inspectBytes(original)
      expect(facts).toEqual({ contentType: type, width, height })
      expect(original.includes('GPS')).toBe(true)
      expect(stored.includes('GPS')).toBe(false)
      expect(stored.includes('Location')).toBe(false)
      expect(await decode(stored)).toEqual(await decode(original))
      const again = await inspectBytes(stored)
      expect(again.stored).toEqual(stored)
    },
  )

  const inPlace: [string, Uint8Array, number, number][] = [
    ['image/heic', photos.heicPhoto(), 40, 60],
    ['video/mp4', photos.movie(), 1080, 1920],
    ['video/webm', photos.webm(), 640, 360],
  ]
  test.each(inPlace)('of a file of type %s is blanked in place', async (type, made, width, height) => {
    const original = Buffer.from(made)
    const { stored, ...facts } = await inspectBytes(original)
    expect(facts).toEqual({ contentType: type, width, height })
    expect(stored.length).toBe(original.length)
    expect(stored.includes('GPS')).toBe(false)
    const data = original.indexOf('mdat') + 4
    expect(stored.subarray(data, data + 4).equals(original.subarray(data, data + 4))).toBe(true)
    expect((await inspectBytes(stored)).stored).toEqual(stored)
  })

  const asTheyAre: [string, string, Uint8Array][] = [
    ['image/tiff', 'scan.tif', photos.exif(6)],
    ['image/x-adobe-dng', 'photo.dng', photos.dng()],
    ['image/x-canon-cr2', 'photo.cr2', photos.cr2()],
    ['image/bmp', 'picture.bmp', photos.bmp()],
  ]
  test.each(asTheyAre)('of a file of type %s is kept', async (contentType, name, original) => {
    const { stored, ...facts } = await inspectBytes(original, name)
    expect(facts).toEqual({ contentType, width: null, height: null })
    expect(stored.equals(original)).toBe(true)
  })

  test('broken at any place, a file neither crashes the server nor counts as an image that can be shown', async () => {
    const all = [photos.jpegPhoto(), photos.pngPhoto(), photos.webpPhoto(), photos.gifPhoto()]
    const others = [photos.heicPhoto(), photos.movie(), photos.webm()]
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % below
    }
    for (const original of [...(await Promise.all(all)), ...others])
      for (let round = 0; round < 60; round++) {
        const broken = Buffer.from(original.subarray(0, round % 2 ? random(original.length) : original.length))
        for (let change = 0; change < 3 && broken.length > 12; change++)
          broken[4 + random(Math.min(broken.length - 4, 400))] = random(256)
        await inspectBytes(broken).catch((error) => expect(error).toBeInstanceOf(InvalidImage))
        expect(readdirSync(folder)).toEqual([])
      }
  })

  test('that never ends does not cause an endless loop', async () => {
    const endless = Buffer.concat([photos.gif(1, 1).subarray(0, 19), Buffer.alloc(300_000, 1)])
    expect((await inspectBytes(endless)).contentType).toBe('application/octet-stream')
  })
})

test('reading a file that consists of countless tiny parts is given up soon', async () => {
  const fill = (part: string, length: number) => Buffer.alloc(length, Buffer.from(part, 'hex'))
  const files = [
    Buffer.concat([Buffer.from('ffd8ffe00002', 'hex'), fill('ff', 3e6)]),
    Buffer.concat([Buffer.from('ffd8', 'hex'), fill('ffe50002', 3e6)]),
    Buffer.concat([photos.gif(1, 1).subarray(0, 19), fill('21fe00', 3e6)]),
    Buffer.concat([(await photos.pngPhoto()).subarray(0, 33), fill('000000004944415400000000', 3e6)]),
  ]
  for (const file of files) expect((await inspectBytes(file)).contentType).toBe('application/octet-stream')
})

describe('images that would exhaust the memory', () => {
  const png = async (width: number, height: number) => {
    const bytes = await photos.pngPhoto()
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return bytes
  }
  test('are refused, with a message for the user', async () => {
    await expect(inspectBytes(await png(8_001, 8_000))).rejects.toThrow(
      'at most 64 million pixels. This one has 8001 × 8000',
    )
    await expect(inspectBytes(await png(2 ** 31, 2 ** 31))).rejects.toThrow(InvalidImage)
    await expect(inspectBytes(photos.gif(65_535, 65_535))).rejects.toThrow(InvalidImage)
    expect(readdirSync(folder)).toEqual([])
  })

  test('are refused if their frames are too many for their size', async () => {
    await expect(inspectBytes(photos.gif(2_000, 2_000, 300))).rejects.toThrow(
      'This animation is too long or too large.',
    )
    expect(await inspectBytes(photos.gif(500, 500, 300))).toMatchObject({ contentType: 'image/gif', width: 500 })
  })
})

describe('the type of a file', () => {
  const zip = Buffer.concat([Buffer.from('504b0304140000000800', 'hex'), Buffer.alloc(40)])
  const cases: [string, Uint8Array | string, string, string?, string?][] = [
    ['of plain text', 'Grüße, 世界\n', 'text/plain'],
    ['of nothing', '', 'application/octet-stream'],
    ['of bytes', Buffer.from([1, 2, 3, 0, 255]), 'application/octet-stream', 'x.txt', 'text/plain'],
    ['of bytes that are declared an image', 'no image', 'text/plain', 'x.png', 'image/png'],
    ['of HTML that is declared text', ' <!-- a --> <!DOCTYPE html><p>', 'text/html', 'x.txt', 'text/plain'],
    ['of a script that is declared an image', '<script>alert(1)</script>', 'text/html', 'x.png', 'image/png'],
    ['of HTML in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), 'text/html'],
    ['of SVG', '<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['of SVG that is declared PNG', '\n<svg onload="x"/>', 'image/svg+xml', 'x.png', 'image/png'],
    ['of XHTML', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'text/html'],
    ['of XML', '<?xml version="1.0"?><a/>', 'application/xml'],
    ['of JSON', '{"a": [1]}', 'application/json'],
    ['of what is not JSON', '{"a": ', 'text/plain', 'x.json', 'application/json'],
    ['of a table', 'a,b\n1,2\n', 'text/csv', 'x.csv'],
    ['of Markdown', '# Title', 'text/markdown', 'x', 'text/markdown; charset=utf-8'],
    ['of a script', 'alert(1)', 'text/plain', 'x.js', 'text/javascript'],
    ['of PDF', '%PDF-1.7\n', 'application/pdf', 'x.html', 'text/html'],
    ['of a text document', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'x.docx'],
    ['of an archive', zip, 'application/zip', 'x.html', 'text/html'],
    ['of sound', Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), 'audio/wav'],
    ['of the first bytes of an image', 'GIF89a<script>alert(1)</script>', 'application/octet-stream', 'x.gif'],
  ]
  for (const [what, bytes, type, name, declared] of cases)
    test(`${what} is found in its content`, async () => {
      expect((await inspectBytes(bytes, name, declared)).contentType).toBe(type)
    })

  test('of a video comes with its size', async () => {
    expect(await inspectBytes(photos.webm())).toMatchObject({ contentType: 'video/webm', width: 640, height: 360 })
    expect(existsSync(folder)).toBe(true)
  })
})
