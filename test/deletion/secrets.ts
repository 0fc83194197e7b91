import type { Event } from '../../src/contract/events'
import type { Running } from '../../src/server'
import { allEvents } from '../events/log'
import { engineUnderTest } from '../server'
import type { Person, World } from '../world'

/** A text that is nowhere else. It is found again in Markdown, HTML and JSON. */
export const newSecret = () => `secret${crypto.randomUUID().replaceAll('-', '')}`

/** Something with a secret in it, and how it is deleted. */
export interface Case {
  /** Its id. */
  id: string
  /** Everything that was secret about it. */
  secrets: string[]
  /** Where it can be read. */
  paths: string[]
  /** The types of the events that hold it, in order, without the one that says it was deleted. */
  types: string[]
  remove(): Promise<unknown>
}

type Making = (cast: World) => Promise<Case>

/** Everything that can be deleted, in all its forms. Ada does all of it. */
export const cases: Record<string, Making> = {
  'a post with its old title and text, its resolution and its comments': async ({ ada, general, bot }) => {
    const secrets = Array.from({ length: 8 }, newSecret)
    const [text, title, newText, comment, reply, answer, note, newNote] = secrets
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: `${text} <@${bot.id}>`, title })
    await ada.posts.update({ id: post.id, content_markdown: newText, title: 'Changed' })
    const post_id = post.id
    const { id } = await ada.comments.create({ post_id, content_markdown: comment! })
    await ada.comments.create({ post_id, content_markdown: reply!, parent_id: id })
    const { id: comment_id } = await ada.comments.create({ post_id, content_markdown: `${answer} <@${bot.id}>` })
    await ada.posts.resolve({ post_id, comment_id, content_markdown: note })
    await ada.posts.resolve({ post_id, content_markdown: newNote })
    await ada.posts.unresolve({ post_id })
    return {
      ...{ id: post.id, secrets },
      paths: [`/v2/posts/${post.id}`, `/v2/posts/${post.id}/comments`, '/v2/posts', `/v2/comments/${id}`],
      types: [
        ...['post.created', 'app.mentioned', 'post.updated', 'comment.created', 'comment.created', 'comment.created'],
        ...['app.mentioned', 'post.resolved', 'post.resolved', 'post.unresolved'],
      ],
      remove: () => ada.posts.delete({ id: post.id }),
    }
  },

  'a comment that resolved a post': async ({ ada, general, bot }) => {
    const [text, newText] = [newSecret(), newSecret()]
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: `Lunch, <@${bot.id}>?` })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: text })
    await ada.posts.resolve({ post_id: post.id, comment_id: comment.id, content_markdown: 'Agreed' })
    await ada.comments.update({ id: comment.id, content_markdown: `${newText} <@${bot.id}>` })
    // Mentions the app again, in a post that shows the comment.
    await ada.posts.update({ id: post.id, content_markdown: 'Lunch?' })
    await ada.posts.update({ id: post.id, content_markdown: `Lunch, <@${bot.id}>!` })
    return {
      ...{ id: comment.id, secrets: [text, newText] },
      paths: [`/v2/comments/${comment.id}`, `/v2/posts/${post.id}/comments`, `/v2/posts/${post.id}`, '/v2/posts'],
      types: [
        ...['comment.created', 'post.resolved', 'comment.updated', 'app.mentioned'],
        ...['post.updated', 'post.updated', 'app.mentioned'],
      ],
      remove: () => ada.comments.delete({ id: comment.id }),
    }
  },

  'a comment that keeps its place': async ({ ada, general }) => {
    const [text, newText] = [newSecret(), newSecret()]
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: text })
    await ada.comments.create({ post_id: post.id, content_markdown: 'Why?', parent_id: comment.id })
    await ada.comments.update({ id: comment.id, content_markdown: newText })
    return {
      ...{ id: comment.id, secrets: [text, newText] },
      paths: [`/v2/comments/${comment.id}`, `/v2/posts/${post.id}/comments`],
      types: ['comment.created', 'comment.updated'],
      remove: () => ada.comments.delete({ id: comment.id }),
    }
  },

  'a message': async ({ ada, bob, bot }) => {
    const [text, newText] = [newSecret(), newSecret()]
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id, bot.id] })
    const message = await ada.messages.create({ thread_id: thread.id, content_markdown: text })
    await ada.messages.update({ id: message.id, content_markdown: `${newText} <@${bot.id}>` })
    await bob.messages.create({ thread_id: thread.id, content_markdown: 'What?', parent_id: message.id })
    return {
      ...{ id: message.id, secrets: [text, newText] },
      paths: [`/v2/messages/${message.id}`, `/v2/threads/${thread.id}/messages`],
      types: ['message.created', 'message.updated', 'app.mentioned'],
      remove: () => ada.messages.delete({ id: message.id }),
    }
  },

  'a direct message': async ({ ada, bob }) => {
    const text = newSecret()
    const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: text })
    return {
      ...{ id: message.id, secrets: [text] },
      paths: [`/v2/messages/${message.id}`, `/v2/threads/${message.thread_id}/messages`],
      types: ['message.created'],
      remove: () => ada.messages.delete({ id: message.id }),
    }
  },
}

/** Which of the secrets a text holds. */
export const found = (text: string, { secrets }: Pick<Case, 'secrets'>) =>
  secrets.filter((secret) => text.includes(secret))

/** The events that hold a secret. */
export const holding = (events: readonly Event[], of: Pick<Case, 'secrets'>) =>
  events.filter((event) => found(JSON.stringify(event), of).length > 0)

export const eventsHolding = async (who: Person, of: Pick<Case, 'secrets'>) => holding(await allEvents(who), of)

/**
 * Every text of every table, as `table.column` of the rows that hold a secret, once the search index is purged: a server does
 * that from time to time.
 */
export async function columnsHolding(
  { parley, searchIndexing }: Running,
  of: Pick<Case, 'secrets'>,
): Promise<string[]> {
  await searchIndexing()!.purge()
  const places = new Set<string>()
  for (const [table, rows] of Object.entries(await allRows(parley.engine)))
    for (const row of rows)
      for (const [column, value] of Object.entries(row))
        if (found(textOf(value), of).length > 0) places.add(`${table}.${column}`)
  return [...places].sort()
}

const textOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value))

async function allRows({ write }: Running['parley']['engine']) {
  return write(async (db) => {
    const read = async <T>(sql: string) => (await db.wire.execute(sql, [])).rows as T[]
    const tables = await read<{ name: string }>(
      engineUnderTest === 'sqlite'
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )
    const rows: Record<string, object[]> = {}
    for (const { name } of tables) rows[name] = await read<object>(`SELECT * FROM "${name}"`)
    return rows
  })
}
