import type { Comment } from '../../src/contract/comments'
import type { Message } from '../../src/contract/messages'
import type { Post } from '../../src/contract/posts'
import { type DocumentTokens, documentTokens, plainText } from '../../src/domain/search/document'
import type { Random } from '../random-writes'
import type { Person, World } from '../world'
import { randomText } from './texts'

/** A record, as far as a search looks at it. */
export interface Searched {
  id: string
  type: 'post' | 'comment' | 'message'
  /** The name of its channel; undefined for messages. */
  channel?: string
  thread?: string
  author: string
  created_at: string
  /** Undefined for messages. */
  isResolved?: boolean
  text: string
  tokens: DocumentTokens
}

const AT_ONCE = 8

/** Runs tasks, a few at a time. The results have the order of the tasks. */
export async function inParallel<T, R>(tasks: readonly T[], run: (task: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < tasks.length; at = next++) results[at] = await run(tasks[at]!)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

/** Writes, edits and deletes about 300 records. `pass` lets time go by between parts of them. */
export async function writeCorpus(cast: World, channels: readonly string[], random: Random, pass: () => Promise<void>) {
  const { ada, bob, bot, gus, root } = cast
  const posts: Post[] = []
  const comments: Comment[] = []
  const threads = await Promise.all([bob, gus, root].map(({ id }) => ada.threads.create({ member_ids: [id, bot.id] })))
  const texts = (count: number, maxWords: number) => Array.from({ length: count }, () => randomText(random, maxWords))
  for (let part = 0; part < 10; part++) {
    await pass()
    const newPosts = texts(14, 12).map((content_markdown) => ({
      who: random.pick([ada, root]),
      post: { channel_id: random.pick(channels), title: random.pick(['', ...texts(3, 3)]), content_markdown },
    }))
    posts.push(...(await inParallel(newPosts, ({ who, post }) => who.posts.create(post))))
    const newComments = texts(12, 8).map((content_markdown) => ({
      who: random.pick([ada, root]),
      comment: { post_id: random.pick(posts).id, content_markdown },
    }))
    comments.push(...(await inParallel(newComments, ({ who, comment }) => who.comments.create(comment))))
    const newMessages = texts(6, 6).map((content_markdown) => ({
      who: random.pick([ada, bot]),
      message: { thread_id: random.pick(threads).id, content_markdown },
    }))
    await inParallel(newMessages, ({ who, message }) => who.messages.create(message))
  }
  await pass()
  const [resolved, deleted] = [posts.slice(10, 50), posts.slice(60, 65)]
  const edits = <R extends { id: string }>(records: readonly R[]) =>
    records.map(({ id }) => ({ id, content_markdown: randomText(random, 12) }))
  await inParallel(edits(posts.slice(0, 20)), (edit) => root.posts.update(edit))
  await inParallel(edits(comments.slice(0, 20)), (edit) => root.comments.update(edit))
  await inParallel(edits(resolved), ({ id, content_markdown }) => ada.posts.resolve({ post_id: id, content_markdown }))
  await inParallel(resolved.slice(0, 5), ({ id }) => ada.posts.unresolve({ post_id: id }))
  await inParallel(deleted, ({ id }) => root.posts.delete({ id }))
  return { threads: threads.map(({ id }) => id) }
}

/** All records that someone sees, read from the lists of the API. */
export async function readCorpus(who: Person, threads: readonly string[]): Promise<Searched[]> {
  const posts = await readAll<Post>((page) => who.posts.list(page))
  const comments = posts.map((post) =>
    readAll<Comment>((page) => who.comments.list({ post_id: post.id, ...page })).then((found) =>
      found.map((comment) => toSearched('comment', comment, post)),
    ),
  )
  const messages = threads.map((thread_id) =>
    readAll<Message>((page) => who.messages.list({ thread_id, ...page })).then((found) =>
      found.map((message) => toSearched('message', message)),
    ),
  )
  const others = await Promise.all([...comments, ...messages])
  return [...posts.map((post) => toSearched('post', post, post)), ...others.flat()]
}

type List<R> = (page: { after?: string }) => Promise<{ data: R[]; next_cursor: string | null }>

async function readAll<R>(list: List<R>): Promise<R[]> {
  const all: R[] = []
  for (let after: string | undefined | null; after !== null; ) {
    const { data, next_cursor } = await list({ after })
    all.push(...data)
    after = next_cursor
  }
  return all
}

function toSearched(type: Searched['type'], record: Post | Comment | Message, post?: Post): Searched {
  const title = 'title' in record ? record.title : ''
  const note = 'resolution' in record ? record.resolution?.resolved_html : null
  const content = [record.content, ...(note ? [note] : [])].map(plainText)
  return {
    ...{ id: record.id, type, author: record.author.id, created_at: record.created_at },
    channel: post?.channel.name,
    thread: 'thread_id' in record ? record.thread_id : undefined,
    isResolved: post && post.resolution !== null,
    text: [title, ...content].join(' ').replace(/\s+/g, ' ').trim(),
    tokens: documentTokens({ title, content }),
  }
}
