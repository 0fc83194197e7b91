import type { File } from '../contract/files'
import type { AgentApi } from './agent-api'
import { quoteName, when, withoutInvisible } from './text'

/** Larger files are only described, so that they fill neither the memory of the server nor the context of the model. */
const MAX_BYTES = 1024 * 1024

/** Images that models can look at. SVG is sent as text. */
const IMAGE = /^image\/(png|jpeg|gif|webp|avif)$/
const TEXT = /^(text\/.+|application\/(json|xml)|image\/svg\+xml)$/

/** Returns the text or the image of a file. Of other files it returns a description with the URL. */
export async function readFile(api: AgentApi, id: string) {
  const file = await api.call('files.get', { id })
  const { content_type: mimeType, size } = file
  if (size <= MAX_BYTES && IMAGE.test(mimeType))
    return { mimeType, blob: Buffer.from(await api.readContent(id)).toString('base64') }
  const text = size <= MAX_BYTES && TEXT.test(mimeType) ? decode(await api.readContent(id)) : undefined
  return text === undefined ? { mimeType: 'text/markdown', text: describe(file) } : { mimeType, text }
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. Returns undefined if the bytes are neither. */
function decode(bytes: Uint8Array): string | undefined {
  const mark = `${bytes[0]},${bytes[1]}`
  const encoding = mark === '255,254' ? 'utf-16le' : mark === '254,255' ? 'utf-16be' : 'utf-8'
  try {
    return withoutInvisible(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

function describe({ id, name, content_type, size, width, height, created_at, url, uploader }: File): string {
  const pixels = width && height ? `, ${width} × ${height} pixels` : ''
  return [
    `${quoteName(name)} (${id}): ${content_type}, ${size} bytes${pixels}; uploaded by ${quoteName(uploader.name)}, ${when(created_at)}.`,
    `Only text and images of at most ${MAX_BYTES} bytes can be read here. People can open the file at ${url}; programs can get it with GET /v2/files/${id}/content and the same token.`,
  ].join('\n\n')
}
