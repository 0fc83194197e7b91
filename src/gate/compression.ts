import type { Answer } from './answer'

/** Shorter bodies gain less than the headers and the work cost. */
const MIN_BYTES = 2_048

/** The content codings, the best first. Fast levels: most answers are compressed for one reader. */
const codings = {
  zstd: (body: string | Uint8Array<ArrayBuffer>) => Bun.zstdCompressSync(body, { level: 3 }),
  gzip: (body: string | Uint8Array<ArrayBuffer>) => Bun.gzipSync(body, { level: 3 }),
}
type Coding = keyof typeof codings

/** The answer, compressed if it is long enough and the client accepts a coding. */
export function compress(answer: Answer, acceptEncoding: string | undefined): Answer {
  const { body, headers } = answer
  if (!acceptEncoding || !body || body instanceof ReadableStream || body.length < MIN_BYTES) return answer
  const coding = chooseCoding(acceptEncoding)
  if (!coding) return answer

  const known = answer.compressed?.get(coding)
  const compressed = known ?? (codings[coding](body) as Uint8Array<ArrayBuffer>)
  if (!known) answer.compressed?.set(coding, compressed)
  headers['Content-Encoding'] = coding
  // Other bytes, so another ETag; see `uncompressedEtag`.
  if (headers.ETag) headers.ETag = `${headers.ETag.slice(0, -1)}.${coding}"`
  return { ...answer, body: compressed }
}

/** The ETag of a response whatever it is compressed with. */
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
