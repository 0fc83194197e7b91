import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Client, createClient } from '../../src/client'
import { PAGE_SIZE } from '../../src/contract/page'
import type { Dataset } from './dataset'
import { startParley } from './servers'

/** What the shorter lists are of: the same in every workspace, so that only the number of posts differs. */
export interface Fixtures {
  workspace: string
  channel: string
  post: string
  comment: string
  thread: string
  app: string
  webhook: string
  /** The ids of the last events: the comments were written last. */
  events: string[]
}

const COMMENTS = 120
const REPLIES = 80
const THREADS = 80
const MESSAGES = 200

/** What a dataset has besides its posts; made once. */
export async function getFixtures({ folder, url, token }: Dataset): Promise<Fixtures> {
  const file = `${folder}/fixtures.json`
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const server = await startParley(url)
  try {
    const made = await createFixtures(createClient({ baseUrl: `http://127.0.0.1:${server.port}`, token }))
    writeFileSync(file, JSON.stringify(made))
    return made
  } finally {
    await server.stop()
  }
}

async function createFixtures(client: Client): Promise<Fixtures> {
  const { workspace, author } = await client.me.get()
  const { data: members } = await client.members.list({ limit: 1 })
  const { data: channels } = await client.channels.list()
  const channel = channels.reduce((one, other) => (other.posts_count > one.posts_count ? other : one))

  const newThread = (number: number) =>
    client.threads.create({ member_ids: members.map(({ id }) => id), title: `Thread ${number}` })
  const threads = await several(THREADS, newThread)
  const thread = threads[0]!.id
  await several(MESSAGES, (number) =>
    client.messages.create({ thread_id: thread, content_markdown: remark('Message', number) }),
  )
  const webhook = await client.webhooks.create({ url: 'https://example.com/', types: ['workspace.created'] })

  const post = await client.posts.create({ channel_id: channel.id, content_markdown: 'What do you think?' })
  const say = (what: string, number: number, parent_id?: string) =>
    client.comments.create({ post_id: post.id, content_markdown: remark(what, number), parent_id })
  const [comment] = await several(COMMENTS, (number) => say('Comment', number))
  await several(REPLIES, (number) => say('Reply', number, comment!.id))
  return {
    workspace: workspace.id,
    channel: channel.id,
    post: post.id,
    comment: comment!.id,
    thread,
    app: author.id,
    webhook: webhook.id,
    events: await lastEvents(client),
  }
}

const remark = (what: string, number: number) => `${what} ${number} of **many**, about nothing much.`

const several = <T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => make(number)))

/** The ids of as many of the last events as two pages hold. */
async function lastEvents(client: Client): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const { data, next_cursor, has_more } = await client.events.list({ after })
    ids.push(...data.map(({ id }) => id))
    if (!has_more) return ids.slice(-2 * PAGE_SIZE)
    after = next_cursor
  }
}
