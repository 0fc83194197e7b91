import { newId } from '../../src/domain/ids'
import type { Db } from '../../src/store/engines/db'
import type { Engine } from '../../src/store/engines/engine'
import { openEngine } from '../../src/store/open'
import { migrations, schemaVersion } from '../../src/store/schema/migrations'
import { time } from '../server'

/** The last migration of the version before. */
const OLD = 3
export const GONE = 'secretthatwasdeletedbefore'
export const KEPT = 'wordsthatarestillthere'
/** Half a surrogate pair is JSON, but not everywhere. */
const ODD = 'Odd \ud800'

const id = (prefix: Parameters<typeof newId>[0]) => newId(prefix, 1_700_000_000_000)
export const ids = {
  post: id('post'),
  gonePost: id('post'),
  comment: id('cmt'),
  goneComment: id('cmt'),
  tombstone: id('cmt'),
  reply: id('cmt'),
  message: id('msg'),
  goneMessage: id('msg'),
  ada: id('mem'),
}

const author = (name = 'Ada') => ({ id: 'mem_ada', name, type: 'member', avatar_urls: {} })
const post = (of: string, text: string, resolved?: object) => ({
  ...{ id: of, title: text, created_at: '', last_activity_at: '', url: '', content: `<p>${text}</p>` },
  ...{ comments_count: 0, channel: { id: 'chan_general', name: 'general' }, author: author(ODD) },
  resolution: resolved
    ? { resolved_at: '', resolved_html: KEPT, resolved_by: author(), resolved_comment: resolved }
    : null,
})
const comment = (of: string, text: string, parent_id: string | null = null) => ({
  ...{ id: of, content: `<p>${text}</p>`, created_at: '', replies_count: 0, parent_id, subject_id: ids.post },
  ...{ subject_type: 'post', author: author() },
})
const message = (of: string, text: string) => ({
  ...{ id: of, content: `<p>${text}</p>`, created_at: '', updated_at: '', parent_id: null, thread_id: 'thr_plans' },
  author: author(),
})
const mention = (subject_type: string, subject: object) => ({ app: author('App'), subject_type, subject })

/** What the log of the version before says: type, data, and whether its record was deleted since. */
export const log: [string, object, boolean][] = [
  ['channel.created', { id: 'chan_general', name: 'general' }, false],
  ['post.created', post(ids.post, KEPT), false],
  ['post.created', post(ids.gonePost, GONE), true],
  ['app.mentioned', mention('post', post(ids.gonePost, GONE)), true],
  ['comment.created', comment(ids.comment, KEPT), false],
  ['comment.created', comment(ids.goneComment, GONE), true],
  ['comment.updated', comment(ids.goneComment, `${GONE} again`), true],
  ['app.mentioned', mention('comment', comment(ids.goneComment, GONE)), true],
  ['post.resolved', post(ids.post, KEPT, comment(ids.goneComment, GONE)), false],
  ['app.mentioned', mention('post', post(ids.post, KEPT, comment(ids.tombstone, GONE))), false],
  ['post.updated', post(ids.post, KEPT, comment(ids.comment, KEPT)), false],
  ['comment.deleted', comment(ids.goneComment, GONE), true],
  ['comment.created', comment(ids.tombstone, GONE), true],
  ['comment.created', comment(ids.reply, KEPT, ids.tombstone), false],
  ['comment.deleted', comment(ids.tombstone, GONE), true],
  ['post.deleted', post(ids.gonePost, GONE), true],
  ['message.created', message(ids.message, KEPT), false],
  ['message.created', message(ids.goneMessage, GONE), true],
  ['message.deleted', message(ids.goneMessage, GONE), true],
]
const answers: [string, object | null][] = [
  ['post', post(ids.post, KEPT)],
  ['gone-post', post(ids.gonePost, GONE)],
  ['gone-comment', comment(ids.goneComment, GONE)],
  ['gone-message', message(ids.goneMessage, GONE)],
  ['resolved', post(ids.post, KEPT, comment(ids.tombstone, GONE))],
  ['channel', { id: 'chan_general', name: 'general' }],
  ['secret', null],
]

async function migrateTo(engine: Engine, version: number) {
  await engine.migrate(async (db) => {
    await schemaVersion(db)
    for (const { number, name, migration } of migrations.filter(({ number: each }) => each <= version)) {
      await migration.up(db as never, engine.syntax)
      await db.insertInto('schema_migrations').values({ number, name, applied_at: 0 }).execute()
    }
  })
}

/** Rows as the version before wrote them. */
async function fill(db: Db) {
  const insert = (table: string, row: object) =>
    db
      .insertInto(table as never)
      .values(row as never)
      .execute()
  await insert('workspaces', { key: 1, id: id('ws'), slug: 'home', name: 'Home', revision: log.length, created_at: 0 })
  const ada = { key: 1, workspace_key: 1, id: ids.ada, type: 'member', name: 'Ada', avatar: 'A' }
  await insert('authors', ada)
  const user = { key: 1, id: id('user'), email: 'ada@example.com', created_at: 0 }
  await insert('users', user)
  await insert('members', {
    ...{ author_key: 1, workspace_key: 1, id: ada.id, user_key: 1, role: 'admin', created_at: 0, last_seen_at: 0 },
    search_text: 'ada',
  })
  await insert('channels', {
    ...{ key: 1, id: 'chan_general', workspace_key: 1, name: 'general', name_fold: 'general', is_listed: 1 },
    created_at: 0,
  })
  const text = { content: KEPT, markdown: KEPT }
  await insert('posts', {
    ...{ key: 1, id: ids.post, workspace_key: 1, channel_key: 1, author_key: 1, published_at: 0, last_activity_at: 0 },
    ...{ title: KEPT, ...text },
  })
  const inPost = { workspace_key: 1, post_key: 1, author_key: 1, created_at: 0 }
  await insert('comments', { ...inPost, key: 1, id: ids.comment, ...text })
  await insert('comments', { ...inPost, key: 2, id: ids.tombstone, is_deleted: 1, content: '', markdown: '' })
  await insert('comments', { ...inPost, key: 3, id: ids.reply, parent_key: 2, ...text })
  await insert('threads', {
    ...{ key: 1, id: 'thr_plans', workspace_key: 1, author_key: 1, title: 'Plans', created_at: 0, last_activity_at: 0 },
  })
  await insert('thread_members', {
    ...{ workspace_key: 1, thread_key: 1, author_key: 1, thread_id: 'thr_plans', last_activity_at: 0 },
  })
  await insert('messages', {
    ...{ key: 1, id: ids.message, workspace_key: 1, thread_key: 1, author_key: 1, created_at: 0, updated_at: 0 },
    ...text,
  })
  for (const [at, [type, data]] of log.entries())
    await insert('events', {
      ...{ workspace_key: 1, revision: at + 1, type, actor_key: 1, created_at: time.now(), data: JSON.stringify(data) },
      channel_key: type.startsWith('message') ? 0 : 1,
      thread_key: type.startsWith('message') ? 1 : 0,
    })
  for (const [key, answer] of answers)
    await insert('idempotency_keys', {
      ...{ workspace_key: 1, author_key: 1, key, request_hash: '', created_at: time.now() },
      answer: answer && JSON.stringify(answer),
    })
}

/** A database as the version before left it. */
export async function makeOldDatabase(url: string) {
  const engine = openEngine(url)
  await migrateTo(engine, OLD)
  await engine.write(fill)
  await engine.close()
}
