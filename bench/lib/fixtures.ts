import { type Client, createClient } from '../../test/client'

/** The records that short lists belong to: the same in every workspace, so that only the number of posts differs. */
export interface Fixtures {
  channel: string
  post: string
  comment: string
  thread: string
  message: string
  app: string
  webhook: string
  /** The ids of the last events: the comments were written last. */
  events: string[]
}

const COMMENTS = 120
const REPLIES = 80
const THREADS = 80
const MESSAGES = 200
const EVENTS = 100
const REACTIONS = ['👍', '🎉', '❤️', '👀', '🚀']

export async function createFixtures(port: number, token: string): Promise<Fixtures> {
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token, retries: 10 })
  const { author } = await client.me.get()
  const { data: members } = await client.members.list({ limit: 1 })
  const { data: channels } = await client.channels.list()
  const channel = channels.reduce((one, other) => (other.posts_count > one.posts_count ? other : one))

  const threads = await createMany(THREADS, (number) =>
    client.threads.create({ member_ids: members.map(({ id }) => id), title: `Thread ${number}` }),
  )
  const thread = threads[0]!.id
  const [message] = await createMany(MESSAGES, (number) =>
    client.messages.create({ thread_id: thread, content_markdown: text('Message', number) }),
  )
  const webhook = await client.webhooks.create({ url: 'https://example.com/', types: ['workspace.created'] })

  const post = await client.posts.create({ channel_id: channel.id, content_markdown: 'What do you think?' })
  const addComment = (what: string, number: number, parent_id?: string) =>
    client.comments.create({ post_id: post.id, content_markdown: text(what, number), parent_id })
  const [comment] = await createMany(COMMENTS, (number) => addComment('Comment', number))
  await createMany(REPLIES, (number) => addComment('Reply', number, comment!.id))
  for (const emoji of REACTIONS) {
    await client.reactions.add({ subject_id: post.id, emoji })
    await client.reactions.add({ subject_id: comment!.id, emoji })
    await client.reactions.add({ subject_id: message!.id, emoji })
  }
  return {
    channel: channel.id,
    post: post.id,
    comment: comment!.id,
    thread,
    message: message!.id,
    app: author.id,
    webhook: webhook.id,
    events: await listLastEvents(client),
  }
}

const text = (what: string, number: number) => `${what} ${number} of **many**, about nothing much.`

const createMany = <T>(count: number, create: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => create(number)))

async function listLastEvents(client: Client): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const { data, next_cursor, has_more } = await client.events.list({ after })
    ids.push(...data.map(({ id }) => id))
    if (!has_more) return ids.slice(-EVENTS)
    after = next_cursor
  }
}
