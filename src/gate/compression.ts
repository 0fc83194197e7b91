import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answer } from './answer'

/** Shorter bodies gain less than the headers and the work cost. */
const MIN_BYTES = 2_048

/** The content codings, the best first. Fast levels: most answers are compressed for one reader. */
const codings = {
  zstd: (body: string | Uint8Array<ArrayBuffer>) => Bun.zstdCompressSync(body, { level: 3 }) as Uint8Array<ArrayBuffer>,
  gzip: (body: string | Uint8Array<ArrayBuffer>) => Bun.gzipSync(body, { level: 3 }) as Uint8Array<ArrayBuffer>,
}
type Coding = keyof typeof codings

/** Longer bodies are compressed in another thread: others would wait for tens of milliseconds. */
const MAX_SYNC_BYTES = 512 * 1024
const inThread = {
  zstd: async (body: Uint8Array) => (await Bun.zstdCompress(body, { level: 3 })) as Uint8Array<ArrayBuffer>,
  gzip: async (body: Uint8Array) => (await promisify(gzip)(body, { level: 3 })) as Uint8Array<ArrayBuffer>,
}

/** The answer, compressed if it is long enough and the client accepts a coding. */
export function compress(answer: Answer, acceptEncoding: string | undefined): Answer | Promise<Answer> {
  const { body } = answer
  if (!acceptEncoding || !body || body instanceof ReadableStream || sizeOf(body) < MIN_BYTES) return answer
  const coding = chooseCoding(acceptEncoding)
  if (!coding) return answer

  const known = answer.compressed?.get(coding)
  if (known) return toCompressed(answer, coding, known)
  if (sizeOf(body) > MAX_SYNC_BYTES) return compressInThread(answer, coding, body)
  if (!(body instanceof Blob)) return toCompressed(answer, coding, codings[coding](body))
  return body.bytes().then((bytes) => toCompressed(answer, coding, codings[coding](bytes)))
}

async function compressInThread(answer: Answer, coding: Coding, body: string | Uint8Array | Blob): Promise<Answer> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body instanceof Blob ? await body.bytes() : body
  return toCompressed(answer, coding, await inThread[coding](bytes))
}

const sizeOf = (body: string | Uint8Array | Blob) => (body instanceof Blob ? body.size : body.length)

function toCompressed(answer: Answer, coding: Coding, body: Uint8Array<ArrayBuffer>): Answer {
  const { headers } = answer
  answer.compressed?.set(coding, body)
  headers['Content-Encoding'] = coding
  // Other bytes, so another ETag; see `uncompressedEtag`.
  if (headers.ETag) headers.ETag = `${headers.ETag.slice(0, -1)}.${coding}"`
  return { ...answer, body }
}

/** The ETag of a response without the suffix for its compression. */
export const uncompressedEtag = (etag: string): string => etag.replace(/\.(?:zstd|gzip)"$/, '"')

const chosen = new Map<string, Coding | undefined>()
const MAX_ENTRIES = 1_000

/** Clients send the same few headers again and again. */
function chooseCoding(acceptEncoding: string): Coding | undefined {
  if (chosen.size > MAX_ENTRIES) chosen.clear()
  return chosen.getOrInsertComputed(acceptEncoding, (header) => {
    const weights = new Map(
      header.split(',').map((part) => {
        const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
        const weight = parameters.find((parameter) => parameter.startsWith('q='))
        return [name, weight ? Number(weight.slice(2)) : 1]
      }),
    )
    const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
    const accepted = (Object.keys(codings) as Coding[]).filter((coding) => weightOf(coding) > 0)
    return accepted.sort((one, other) => weightOf(other) - weightOf(one))[0]
  })
}
