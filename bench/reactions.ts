import { createClient } from '../test/client'
import { copyDataset } from './lib/dataset'
import { grouped, median } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { type Engine, engines, isQuick, size } from './lib/settings'

const WRITES = isQuick ? 40 : 400
const AT_ONCE = [1, 16]
const POSTS = 24
/** Long enough for the inboxes to be filled. */
const SETTLED_MS = isQuick ? 100 : 500
const content_markdown = 'I can take this one. The **first** part is done, the rest by Friday.'
const EMOJI = [...'👍🎉👀🚀🦀🍕👋💯🙏😀🔥✅🐛☕🌍🌱🍰🎈']

/** What a reaction costs the server in CPU time, compared with a comment. */
export async function benchReactions() {
  const rows: string[][] = []
  for (const engine of engines) rows.push(...(await measureEngine(engine)))
  addSection(
    'Reactions',
    `CPU time of Parley for ${WRITES} reactions and as many comments, written one by one and ${AT_ONCE[1]} at once.`,
    ['engine', 'at once', 'comment (µs)', 'reaction (µs)', 'relative'],
    rows,
  )
}

type Client = ReturnType<typeof createClient>

async function measureEngine(engine: Engine): Promise<string[][]> {
  const data = await copyDataset('small', engine)
  const server = await startParley(data)
  const connect = (token: string) => createClient({ baseUrl: `http://127.0.0.1:${server.port}`, token })
  const client = connect(data.token)
  const posts = await publishPosts(connect(data.memberToken))
  const postAt = (at: number) => posts[at % posts.length]!
  // Never the same twice in a round: it would change nothing, and on PostgreSQL undo the writes that share its transaction.
  const reactionAt = (at: number) => ({ subject_id: postAt(at), emoji: EMOJI[Math.floor(at / posts.length)]! })
  const rows: string[][] = []
  try {
    for (const atOnce of AT_ONCE) {
      const comments: number[] = []
      const reactions: number[] = []
      for (let round = 0; round <= size.rounds; round++) {
        const comment = await measureCpu(server, atOnce, (at) =>
          client.comments.create({ post_id: postAt(at), content_markdown }),
        )
        const reaction = await measureCpu(server, atOnce, (at) => client.reactions.add(reactionAt(at)))
        for (let at = 0; at < WRITES; at++) await client.reactions.remove(reactionAt(at))
        // The first round warms up.
        if (round > 0) comments.push(comment)
        if (round > 0) reactions.push(reaction)
      }
      const relative = median(reactions) / Math.max(median(comments), 1)
      const name = `A reaction relative to a comment, ${atOnce} at once`
      addResult({ name, engine, value: relative, goal: { max: 0.5 } })
      const figures = [grouped(median(comments)), grouped(median(reactions)), relative.toFixed(2)]
      rows.push([engine, String(atOnce), ...figures])
    }
  } finally {
    await server.stop()
    await data.remove()
  }
  return rows
}

/** Posts whose author is notified of comments and reactions. */
async function publishPosts(author: Client): Promise<string[]> {
  const [channel] = (await author.channels.list({ limit: 1 })).data
  const ids: string[] = []
  while (ids.length < POSTS) ids.push((await author.posts.create({ channel_id: channel!.id, content_markdown })).id)
  return ids
}

/** CPU time of the server for each write, in microseconds, with what it does for the inbox afterwards. */
async function measureCpu(server: Server, atOnce: number, write: (at: number) => Promise<unknown>): Promise<number> {
  await Bun.sleep(SETTLED_MS)
  const before = server.cpu()
  for (let at = 0; at < WRITES; at += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, WRITES - at) }, (_, next) => write(at + next)))
  await Bun.sleep(SETTLED_MS)
  return ((server.cpu() - before) / WRITES) * 1e6
}
