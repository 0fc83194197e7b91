import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/** A file, plain and compressed. */
export interface ServedFile {
  type: string
  plain: Uint8Array<ArrayBuffer>
  /** Undefined for what is compressed already. */
  gzip?: Uint8Array<ArrayBuffer>
  brotli?: Uint8Array<ArrayBuffer>
  isBeingCompressed?: boolean
}

export function toServedFile(type: string, plain: Uint8Array<ArrayBuffer>): ServedFile {
  if (type.startsWith('font/')) return { type, plain }
  return { type, plain, gzip: Bun.gzipSync(plain, { level: 9 }) }
}

/** A file in the best coding that is accepted. */
export function sendFile(
  request: Request,
  file: ServedFile,
  headers: Record<string, string>,
  { status = 200, vary = '' } = {},
): Response {
  const [coding, body] = chooseCoding(file, request.headers.get('accept-encoding') ?? '')
  return new Response(body, {
    status,
    headers: {
      'Content-Type': file.type,
      Vary: `${vary}Accept-Encoding`,
      ...(coding && { 'Content-Encoding': coding }),
      ...headers,
    },
  })
}

function chooseCoding(file: ServedFile, accepted: string): [string | undefined, Uint8Array<ArrayBuffer>] {
  const accepts = (coding: string) => new RegExp(`\\b${coding}\\b`).test(accepted)
  if (file.gzip && accepts('br')) {
    if (file.brotli) return ['br', file.brotli]
    void addBrotli(file)
  }
  return file.gzip && accepts('gzip') ? ['gzip', file.gzip] : [undefined, file.plain]
}

const compress = promisify(brotliCompress)

/** Of the highest quality but one: that takes two and a half times as long, and saves 2 percent. */
const QUALITY = 10

/** Brotli saves a tenth of the bytes, but takes a fifth of a second for the largest file: nobody waits for it. */
async function addBrotli(file: ServedFile) {
  if (file.isBeingCompressed) return
  file.isBeingCompressed = true
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: file.plain.length,
  }
  file.brotli = new Uint8Array(await compress(file.plain, { params }))
}
