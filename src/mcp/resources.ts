import type { File } from '../contract/files'
import type { AgentApi } from './agent-api'
import { line, quoteName, when, withoutInvisible } from './text'
import { readPost } from './tools/posts'
import { readThread } from './tools/threads'

const MARKDOWN = 'text/markdown'
const MAX_LISTED = 25

/** The kinds of resources. A resource is read as the tool of the same kind reads it. */
const resourceTypes = {
  posts: { title: 'Post', description: 'A post with its comments.', read: readPost, id: 'post_id' },
  threads: { title: 'Thread', description: 'A thread with its latest messages.', read: readThread, id: 'thread_id' },
} as const
type ResourceType = keyof typeof resourceTypes

const uriOf = (kind: ResourceType, id: string) => `parley://${kind}/${id}`

export const resourceTemplates = [
  ...Object.entries(resourceTypes).map(([kind, { title, description }]) => ({
    name: kind,
    title,
    description,
    uriTemplate: `parley://${kind}/{id}`,
    mimeType: MARKDOWN,
  })),
  {
    name: 'files',
    title: 'File',
    description: 'A file that a text references as (file_…): its text or image up to 1 MB, or a description.',
    uriTemplate: 'parley://files/{id}',
  },
]

/** The posts and threads that were active last. */
export async function listResources(api: AgentApi) {
  const [posts, threads] = await Promise.all([
    api.call('posts.list', { sort: 'last_activity_at', limit: MAX_LISTED }),
    api.call('threads.list', { limit: MAX_LISTED }),
  ])
  const describe = (kind: ResourceType) => (record: { id: string; title: string; last_activity_at: string }) => ({
    uri: uriOf(kind, record.id),
    name: record.id,
    title: line(record.title),
    mimeType: MARKDOWN,
    annotations: { lastModified: record.last_activity_at },
  })
  return [...posts.data.map(describe('posts')), ...threads.data.map(describe('threads'))]
}

/** The content of a resource; undefined if there is no resource with this URI. */
export async function readResource(api: AgentApi, uri: string) {
  const [, kind, id] = /^parley:\/\/(posts|threads|files)\/(\w+)$/.exec(uri) ?? []
  if (!kind || !id) return undefined
  if (kind === 'files') return { uri, ...(await readFile(api, id)) }
  const { read, id: name } = resourceTypes[kind as ResourceType]
  const { text } = await read.run(api, { [name]: id })
  return { uri, mimeType: MARKDOWN, text }
}

/** Ids of recent posts or threads, to complete the address of a resource that is typed by hand. */
export async function completeResource(api: AgentApi, uriTemplate: string, start: string): Promise<string[]> {
  const all = await listResources(api)
  const beginning = uriTemplate.replace('{id}', '')
  return all
    .filter(({ uri, title }) => uri.startsWith(beginning) && matches(uri.slice(beginning.length), title, start))
    .map(({ uri }) => uri.slice(beginning.length))
}

const matches = (id: string, title: string, start: string) =>
  id.startsWith(start) || title.toLowerCase().includes(start.toLowerCase())

/** Larger files are only described, so that they fill neither the memory of the server nor the context of the model. */
const MAX_BYTES = 1024 * 1024

/** Images that models can look at. SVG is sent as text. */
const IMAGE = /^image\/(png|jpeg|gif|webp|avif)$/
const TEXT = /^(text\/.+|application\/(json|xml)|image\/svg\+xml)$/

/** Returns the text or the image of a file. Of other files it returns a description with the URL. */
async function readFile(api: AgentApi, id: string) {
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
