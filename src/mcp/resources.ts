import type { AgentApi } from './agent-api'
import { readFile } from './files'
import { line } from './text'
import { readPost } from './tools/posts'
import { readThread } from './tools/threads'

const MARKDOWN = 'text/markdown'
const MAX_LISTED = 25

/** The kinds of resources. A resource is read as the tool of the same kind reads it. */
const kinds = {
  posts: { title: 'Post', description: 'A post with its comments.', read: readPost, id: 'post_id' },
  threads: { title: 'Thread', description: 'A thread with its latest messages.', read: readThread, id: 'thread_id' },
} as const
type Kind = keyof typeof kinds

const uriOf = (kind: Kind, id: string) => `parley://${kind}/${id}`

export const resourceTemplates = [
  ...Object.entries(kinds).map(([kind, { title, description }]) => ({
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
  const describe = (kind: Kind) => (record: { id: string; title: string; last_activity_at: string }) => ({
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
  const { read, id: name } = kinds[kind as Kind]
  const { text } = await read.run(api, { [name]: id })
  return { uri, mimeType: MARKDOWN, text }
}

/** Ids of recent posts or threads, for those who write an address of a resource by hand. */
export async function completeResource(api: AgentApi, uriTemplate: string, start: string): Promise<string[]> {
  const all = await listResources(api)
  const beginning = uriTemplate.replace('{id}', '')
  return all
    .filter(({ uri, title }) => uri.startsWith(beginning) && matches(uri.slice(beginning.length), title, start))
    .map(({ uri }) => uri.slice(beginning.length))
}

const matches = (id: string, title: string, start: string) =>
  id.startsWith(start) || title.toLowerCase().includes(start.toLowerCase())
