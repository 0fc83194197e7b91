import type { Insertable } from 'kysely'
import { setupSteps } from '../contract/browser/constants'
import { fold } from '../contract/browser/fold'
import { roles } from '../contract/members'
import { kindNumbers } from '../domain/references'
import { NO_CHANNELS, setVisibilityHashes } from './access/visibility-hash'
import { addToChannel, foundBy, listDefaultChannels } from './content/channels'
import { addToAuthorPosts } from './content/posts'
import { inBatches, insertRows } from './engines/bulk'
import type { Reader, Writer } from './engines/db'
import { searchTextOf } from './people/members'
import { addToWorkspace, memberCounter } from './people/workspaces'
import type { Tables } from './schema'

type Row<Table extends keyof Tables> = Insertable<Tables[Table]>

export type NewApp = Pick<Row<'authors'>, 'id' | 'name' | 'avatar'> & { created_at: number }

/** `account_id` is the id of the account, if the address has none yet. */
export type NewPerson = NewApp & { email: string; account_id: string } & Pick<
    Row<'members'>,
    'user_id' | 'role' | 'is_deactivated' | 'job_title' | 'time_zone' | 'last_seen_at'
  >

export type NewChannel = Pick<Row<'channels'>, 'id' | 'name' | 'description' | 'is_private' | 'created_at'> & {
  members: { key: number; id: string; joined_at: number }[]
}

/** Markdown and what it renders to, always both. */
export interface Text {
  markdown: string
  html: string
}

/** A comment or a message. */
export interface NewReply {
  id: string
  /** Which of the same post or thread it answers. */
  parent?: number
  author_key: number
  text: Text
  created_at: number
}

type PostColumn = 'id' | 'channel_key' | 'is_listed' | 'author_key' | 'published_at'
export type NewPost = Pick<Row<'posts'>, PostColumn> & {
  last_activity_at: number
  title: string
  text: Text
  comments: readonly NewReply[]
  reactions: readonly Pick<Row<'reactions'>, 'author_key' | 'emoji' | 'created_at'>[]
  resolution?: { at: number; by_key: number; note?: Text; comment?: number }
}

type ThreadColumn = 'id' | 'author_key' | 'title' | 'direct_pair' | 'created_at' | 'last_activity_at'
export type NewThread = Pick<Row<'threads'>, ThreadColumn> & {
  member_keys: readonly number[]
  messages: readonly (NewReply & { updated_at: number })[]
}

/** The state before seeding: the names in use, the first admins, and whether the workspace was seeded before, so that more must differ. */
export async function findExisting(db: Reader, workspaceKey: number, maxAdmins: number) {
  const members = db.selectFrom('members as m').where('m.workspace_key', '=', workspaceKey)
  const emails = await members.innerJoin('users as u', 'u.key', 'm.user_key').select('u.email').execute()
  const ofWorkspace = (table: 'channels' | 'apps') =>
    db.selectFrom(table).where('workspace_key', '=', workspaceKey).select('name_fold').execute()
  const [channels, apps] = [await ofWorkspace('channels'), await ofWorkspace('apps')]
  const admins = await members
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .where('m.role', '=', 'admin')
    .where('m.is_deactivated', '=', false)
    .select(['a.key', 'a.id', 'a.name', 'm.role', 'm.created_at as joined_at'])
    .orderBy('m.created_at')
    .orderBy('m.id')
    .limit(maxAdmins)
    .execute()
  const seeded = await db
    .selectFrom('events')
    .where('workspace_key', '=', workspaceKey)
    .where('type', '=', 'workspace.seeded')
    .select('revision')
    .limit(1)
    .execute()
  return {
    emails: new Set(emails.map(({ email }) => email)),
    channels: new Set(channels.map(({ name_fold }) => name_fold)),
    apps: new Set(apps.map(({ name_fold }) => name_fold)),
    admins,
    isSeeded: seeded.length > 0,
  }
}

export async function insertPeople(db: Writer, workspace_key: number, people: readonly NewPerson[]) {
  const users = await findOrInsertUsers(db, people)
  const keys = await insertAuthors(db, workspace_key, 'member', people)
  const members = people.map(({ name, avatar: _, email, account_id: __, ...person }, at) => ({
    ...person,
    author_key: keys[at]!,
    workspace_key,
    user_key: users.get(email)!,
    search_text: searchTextOf(fold(name), fold(email)),
    setup_done: setupSteps.join(),
  }))
  await insertRows(db, 'members', members)
  await insertIntoDefaultChannels(db, workspace_key, members)
  for (const role of roles) {
    const count = people.filter((person) => person.role === role).length
    if (count > 0) await addToWorkspace(db, workspace_key, memberCounter[role], count)
  }
  return keys
}

/** As everyone who joins is, except for guests. */
async function insertIntoDefaultChannels(
  db: Writer,
  workspace_key: number,
  people: readonly (Pick<NewPerson, 'id' | 'role' | 'created_at'> & { author_key: number })[],
) {
  const members = people.filter(({ role }) => role !== 'guest')
  for (const { key: channel_key } of await listDefaultChannels(db, workspace_key)) {
    const rows = members.map(({ id: author_id, author_key, created_at }) => ({
      ...{ workspace_key, channel_key, author_key, author_id, created_at },
    }))
    await insertRows(db, 'channel_members', rows)
    await addToChannel(db, channel_key, { members: rows.length })
  }
  await inBatches(
    members.map(({ author_key }) => author_key),
    (some) => setVisibilityHashes(db, some),
  )
}

/** The keys of accounts by address. Members of another workspace have the same account here. */
async function findOrInsertUsers(db: Writer, people: readonly NewPerson[]) {
  const emails = people.map(({ email }) => email)
  const existing = await db.selectFrom('users').where('email', 'in', emails).select(['email', 'key']).execute()
  const users = new Map(existing.map(({ email, key }) => [email, key]))
  const missing = people.filter(({ email }) => !users.has(email))
  const keys = await db.syntax.reserveKeys(db, 'users', missing.length)
  const rows = missing.map(({ email, account_id: id, created_at }, at) => ({ key: keys[at]!, id, email, created_at }))
  await insertRows(db, 'users', rows)
  for (const { email, key } of rows) users.set(email, key)
  return users
}

export async function insertApps(db: Writer, workspace_key: number, apps: readonly NewApp[]) {
  const keys = await insertAuthors(db, workspace_key, 'app', apps)
  const rows = apps.map(({ id, name, created_at }, at) => ({
    ...{ author_key: keys[at]!, workspace_key, id, name_fold: fold(name) },
    ...{ created_at, updated_at: created_at },
  }))
  await insertRows(db, 'apps', rows)
  await addToWorkspace(db, workspace_key, 'apps_count', apps.length)
  return keys
}

async function insertAuthors(db: Writer, workspace_key: number, type: 'app' | 'member', authors: readonly NewApp[]) {
  const keys = await db.syntax.reserveKeys(db, 'authors', authors.length)
  const rows = authors.map(({ id, name, avatar }, at) => ({
    ...{ key: keys[at]!, workspace_key, id, type, name, avatar, threads_count: 0, tokens_count: 0 },
    ...{ visibility_hash: NO_CHANNELS },
  }))
  await insertRows(db, 'authors', rows)
  return keys
}

export async function insertChannels(db: Writer, workspace_key: number, channels: readonly NewChannel[]) {
  const keys = await db.syntax.reserveKeys(db, 'channels', channels.length)
  const rows = channels.map(({ id, name, description, is_private, created_at, members }, at) => ({
    ...{ key: keys[at]!, id, workspace_key, name, name_fold: fold(name), description, created_at },
    ...foundBy({ name_fold: fold(name), description }),
    ...{ updated_at: created_at, archived_at: null, is_private, is_listed: !is_private },
    ...{ posts_count: 0, resolved_count: 0, members_count: members.length },
  }))
  await insertRows(db, 'channels', rows)
  for (const [at, channel] of channels.entries()) {
    const inside = { workspace_key, channel_key: keys[at]! }
    const joined = channel.members.map(({ key, id, joined_at }) => ({
      ...inside,
      author_key: key,
      author_id: id,
      created_at: Math.max(channel.created_at, joined_at),
    }))
    await insertRows(db, 'channel_members', joined)
  }
  const members = new Set(channels.flatMap((channel) => channel.members.map(({ key }) => key)))
  await inBatches([...members], (some) => setVisibilityHashes(db, some))
  return keys
}

/** Posts with their comments and reactions. */
export async function insertPosts(db: Writer, workspace_key: number, posts: readonly NewPost[]) {
  const keys = await db.syntax.reserveKeys(db, 'posts', posts.length)
  const discussions = posts.map((post) => post.comments)
  const commentKeys = await reserveGroups(db, 'comments', discussions)
  const rows = posts.map(({ text, resolution, comments: _, reactions: __, last_activity_at: ___, ...post }, at) => ({
    ...post,
    key: keys[at]!,
    workspace_key,
    is_resolved: resolution !== undefined,
    resolved_at: resolution?.at ?? null,
    resolved_by_key: resolution?.by_key ?? 0,
    resolved_comment_key: resolution?.comment === undefined ? 0 : commentKeys[at]![resolution.comment]!,
    content: text.html,
    markdown: text.markdown,
    resolved_html: resolution?.note?.html ?? null,
    resolved_markdown: resolution?.note?.markdown ?? null,
  }))
  await insertRows(db, 'posts', rows)
  const activity = posts.map(
    ({ id, channel_key, author_key, is_listed, last_activity_at, comments, resolution }, at) => ({
      ...{ post_key: keys[at]!, post_id: id, workspace_key, channel_key, author_key, is_listed, last_activity_at },
      is_resolved: resolution !== undefined,
      comments_count: comments.length,
      root_comments_count: comments.filter(({ parent }) => parent === undefined).length,
    }),
  )
  await insertRows(db, 'post_activity', activity)
  const comments = posts.flatMap(({ comments }, at) =>
    comments.map(({ parent, text, ...comment }, number) => ({
      ...{ ...comment, key: commentKeys[at]![number]!, workspace_key, post_key: keys[at]! },
      parent_key: parent === undefined ? 0 : commentKeys[at]![parent]!,
      replies_count: comments.filter((other) => other.parent === number).length,
      is_deleted: false,
      content: text.html,
      markdown: text.markdown,
    })),
  )
  await insertRows(db, 'comments', comments)
  await insertReactions(db, workspace_key, keys, posts)
  const change = (some: NewPost[]) => ({ posts: some.length, resolved: some.filter((post) => post.resolution).length })
  for (const [channel, some] of Map.groupBy(posts, (post) => post.channel_key))
    await addToChannel(db, channel, change(some))
  for (const some of Map.groupBy(posts, (post) => `${post.author_key} ${post.channel_key}`).values()) {
    const { author_key, channel_key } = some[0]!
    await addToAuthorPosts(db, { workspace_key, author_key, channel_key }, change(some))
  }
  return keys
}

/** Keys for what belongs to each post or thread. */
async function reserveGroups(db: Writer, table: 'comments' | 'messages', groups: readonly (readonly NewReply[])[]) {
  const total = groups.reduce((sum, group) => sum + group.length, 0)
  const keys = await db.syntax.reserveKeys(db, table, total)
  let used = 0
  return groups.map(({ length }) => {
    used += length
    return keys.slice(used - length, used)
  })
}

/** Reactions to posts, and how many there are of each emoji. */
async function insertReactions(db: Writer, workspace_key: number, keys: number[], posts: readonly NewPost[]) {
  const subject_type = kindNumbers.post
  const all = posts.flatMap(({ reactions }, at) =>
    reactions.map((reaction) => ({ workspace_key, subject_type, subject_key: keys[at]!, ...reaction })),
  )
  const counts = posts.flatMap(({ reactions }, at) =>
    [...Map.groupBy(reactions, ({ emoji }) => emoji)].map(([emoji, same]) => ({
      ...{ subject_type, subject_key: keys[at]! },
      ...{ emoji, reactions_count: same.length, created_at: same[0]!.created_at },
    })),
  )
  await insertRows(db, 'reactions', all)
  await insertRows(db, 'reaction_counts', counts)
}

/** Pins a post, and saves it for these members. */
export async function insertPinAndSaves(
  db: Writer,
  workspace_key: number,
  { key, id, channel_key, author_key }: Pick<NewPost, 'id' | 'channel_key' | 'author_key'> & { key: number },
  { savedBy, at }: { savedBy: readonly number[]; at: number },
) {
  const post = { post_key: key, post_id: id, workspace_key }
  const saves = savedBy.map((member) => ({ ...post, author_key: member, saved_at: at, remind_at: null }))
  await insertRows(db, 'pins', [{ ...post, channel_key, author_key, pinned_at: at }])
  await insertRows(db, 'saved_posts', saves)
}

/** Threads with their members and messages. */
export async function insertThreads(db: Writer, workspace_key: number, threads: readonly NewThread[]) {
  const keys = await db.syntax.reserveKeys(db, 'threads', threads.length)
  const rows = threads.map(({ member_keys: _, messages, ...thread }, at) => ({
    ...{ ...thread, key: keys[at]!, workspace_key, updated_at: thread.last_activity_at },
    ...{ last_message_at: messages.length > 0 ? thread.last_activity_at : null, messages_count: messages.length },
  }))
  await insertRows(db, 'threads', rows)
  const members = threads.flatMap(({ id: thread_id, last_activity_at, member_keys }, at) =>
    member_keys.map((key) => ({ workspace_key, thread_key: keys[at]!, author_key: key, thread_id, last_activity_at })),
  )
  await insertRows(db, 'thread_members', members)
  const counts = Map.groupBy(members, ({ author_key }) => author_key)
  for (const [count, authors] of Map.groupBy(counts.keys(), (author) => counts.get(author)!.length))
    await db
      .updateTable('authors')
      .set((eb) => ({ threads_count: eb('threads_count', '+', count) }))
      .where('key', 'in', authors)
      .execute()
  const conversations = threads.map((thread) => thread.messages)
  const messageKeys = await reserveGroups(db, 'messages', conversations)
  const messages = threads.flatMap(({ messages }, at) =>
    messages.map(({ parent, text, ...message }, number) => ({
      ...{ ...message, key: messageKeys[at]![number]!, workspace_key, thread_key: keys[at]! },
      parent_key: parent === undefined ? 0 : messageKeys[at]![parent]!,
      content: text.html,
      markdown: text.markdown,
    })),
  )
  await insertRows(db, 'messages', messages)
}
