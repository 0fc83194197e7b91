import { kindNumbers } from '../../domain/references'
import { removeReactionEntry, removeSubject } from '../attention/removal'
import { inBatches } from '../engines/bulk'
import type { Writer } from '../engines/db'
import type { JsonValue } from '../engines/syntax'
import { removeReferences } from '../files/references'
import { emptyAnswers, redactEvents, redactResolvedComment, wordsOf } from '../log/redaction'
import type { Tables } from '../schema'
import { removeDocuments } from '../search/documents'
import {
  commentRules,
  fileReferenceRules,
  inboxRules,
  messageRules,
  postCopyRule,
  type Rule,
  reactionCountRules,
  reactionRules,
  resolvedCommentRules,
  subjectRules,
} from './dependant-rules'

/** The kinds of records that can be deleted. */
type Kind = keyof Gone

/** A record that is being deleted. */
interface GoneRecord {
  workspace_key: number
  key: number
  id: string
  author_key: number
  now: number
}

interface Gone {
  /** Its comments are deleted with it. */
  post: GoneRecord & { comments: readonly { key: number; id: string }[] }
  comment: GoneRecord & { post_key: number; post_id: string }
  message: GoneRecord & { thread_key: number }
}

/** Removes what hangs on a record, before the record itself. */
type Remove<K extends Kind> = (db: Writer, gone: Gone[K]) => Promise<unknown>

/** Rows that stay when the record they refer to is deleted. */
const keep = (why: string) => ({ why })

const keepAll = (why: string): On => ({ post: keep(why), comment: keep(why), message: keep(why) })

/** What happens to the rows of a table when a record of each kind is deleted; null if they never refer to such a record. */
type On = { [K in Kind]: Remove<K> | ReturnType<typeof keep> | null }

interface Dependant {
  on: On
  /** What the doctor checks, besides the counters. */
  checks: readonly Rule[]
  /** Where events about it hold what people wrote, which goes when the record is deleted. */
  redacts: readonly JsonValue[]
  /** Whether a backup takes its rows, or what is restored makes them again. */
  backup: 'rows' | 'made again'
}

/** Columns that refer to a post, comment or message. */
type ReferenceColumn =
  `${'' | `${string}_`}${'post' | 'comment' | 'message' | 'parent' | 'subject' | 'item' | 'record'}_${'key' | 'id'}`

/** The tables that have such a column. */
type Hanging = {
  [Table in keyof Tables]: Extract<keyof Tables[Table], ReferenceColumn> extends never ? never : Table
}[keyof Tables]

const keysOf = (records: readonly { key: number }[]) => records.map(({ key }) => key)

/** Rows with the id of any of the records that are deleted. */
const byId = (remove: (db: Writer, workspaceKey: number, ids: readonly string[]) => Promise<unknown>): On => ({
  post: (db, { workspace_key, id, comments }) => remove(db, workspace_key, [id, ...comments.map((each) => each.id)]),
  comment: (db, { workspace_key, id }) => remove(db, workspace_key, [id]),
  message: (db, { workspace_key, id }) => remove(db, workspace_key, [id]),
})

/** Rows with the kind and the key of any of the records that are deleted. */
const byKey = (remove: (db: Writer, kind: Kind, keys: readonly number[], now: number) => Promise<unknown>): On => ({
  async post(db, { key, comments, now }) {
    await remove(db, 'post', [key], now)
    await remove(db, 'comment', keysOf(comments), now)
  },
  comment: (db, { key, now }) => remove(db, 'comment', [key], now),
  message: (db, { key, now }) => remove(db, 'message', [key], now),
})

const ofReactions = (table: 'reactions' | 'reaction_counts', more: Omit<Dependant, 'on'>): Dependant => ({
  on: byKey((db, kind, keys) =>
    inBatches(keys, (some) =>
      db.deleteFrom(table).where('subject_type', '=', kindNumbers[kind]).where('subject_key', 'in', some).execute(),
    ),
  ),
  ...more,
})

/** A table whose rows each belong to one post, and hold its id and other columns of it. */
const ofPost = (
  table: 'pins' | 'saved_posts' | 'post_activity',
  columns: readonly (keyof Tables['posts'])[],
): Dependant => ({
  on: {
    post: (db, { key }) => db.deleteFrom(table).where('post_key', '=', key).execute(),
    comment: null,
    message: null,
  },
  checks: [postCopyRule(table, columns)],
  redacts: [],
  backup: 'rows',
})

/** What a post is to members goes with its entries in their inboxes. */
const ofSubject: On = { post: keep('removed with inbox_entries'), comment: null, message: null }

/** What answered a message stays, and answers nothing. */
const clearParent: Remove<'message'> = (db, { workspace_key, thread_key, key }) =>
  db
    .updateTable('messages')
    .set({ parent_key: 0 })
    .where('workspace_key', '=', workspace_key)
    .where('thread_key', '=', thread_key)
    .where('parent_key', '=', key)
    .execute()

/** A post that was resolved with a comment stays resolved, without it. */
const clearResolvedComment: Remove<'comment'> = async (db, { workspace_key, post_id, post_key, id, key, now }) => {
  await redactResolvedComment(db, workspace_key, post_id, id)
  await db
    .updateTable('posts')
    .set({ resolved_comment_key: 0, answer_deleted_at: now })
    .where('key', '=', post_key)
    .where('resolved_comment_key', '=', key)
    .execute()
}

/** What hangs on posts, comments and messages, in the order in which it is removed. A new table does not compile until it is here. */
const dependants: { [Table in Hanging]: Dependant } = {
  events: {
    on: byId((db, workspaceKey, ids) => redactEvents(db, workspaceKey, ids, wordsInEvents)),
    checks: [],
    redacts: [],
    backup: 'rows',
  },
  idempotency_keys: { on: byId(emptyAnswers), checks: [], redacts: [], backup: 'rows' },
  // The texts are compared by checks/search.ts.
  search_documents: { on: byKey(removeDocuments), checks: [], redacts: [], backup: 'made again' },
  search_queue: {
    on: keepAll('what is gone is passed over when its turn comes'),
    checks: [],
    redacts: [],
    backup: 'made again',
  },
  file_references: {
    on: byKey(async (db, kind, keys, now) => {
      await removeReferences(db, kind, keys, now)
      if (kind === 'post') await removeReferences(db, 'resolution', keys, now)
    }),
    checks: fileReferenceRules,
    redacts: [],
    backup: 'rows',
  },
  reactions: ofReactions('reactions', {
    checks: reactionRules,
    redacts: [
      { path: ['emoji'], to: '' },
      { path: ['emoji_url'], to: null },
    ],
    backup: 'rows',
  }),
  reaction_counts: ofReactions('reaction_counts', { checks: reactionCountRules, redacts: [], backup: 'rows' }),
  inbox_entries: {
    on: {
      // With what else the post was to members: see `removeSubject`.
      post: (db, { key }) => removeSubject(db, 'post', key),
      comment: (db, { author_key, post_key, key }) => removeReactionEntry(db, 'post', post_key, author_key, key),
      message: (db, { author_key, thread_key, key }) => removeReactionEntry(db, 'thread', thread_key, author_key, key),
    },
    checks: inboxRules,
    redacts: [],
    backup: 'rows',
  },
  follows: { on: ofSubject, checks: subjectRules('follows'), redacts: [], backup: 'rows' },
  read_positions: { on: ofSubject, checks: subjectRules('read_positions'), redacts: [], backup: 'rows' },
  removed_subjects: {
    on: { post: keep('its rows are deleted by the job that fills inboxes'), comment: null, message: null },
    checks: [],
    redacts: [],
    backup: 'rows',
  },
  post_activity: ofPost('post_activity', ['workspace_key', 'channel_key', 'author_key', 'is_listed', 'is_resolved']),
  pins: ofPost('pins', ['workspace_key', 'channel_key']),
  saved_posts: ofPost('saved_posts', ['workspace_key']),
  hooks: {
    on: { post: keep('its owner chooses another target'), comment: null, message: null },
    checks: [],
    redacts: [],
    backup: 'rows',
  },
  drafts: {
    on: { ...keepAll('people get their text back'), message: null },
    checks: [],
    redacts: [],
    backup: 'rows',
  },
  comments: {
    on: {
      post: (db, { comments }) =>
        inBatches(keysOf(comments), (some) => db.deleteFrom('comments').where('key', 'in', some).execute()),
      comment: keep('a comment with replies stays, without content'),
      message: null,
    },
    checks: commentRules,
    redacts: wordsOf('comment'),
    backup: 'rows',
  },
  messages: {
    on: { post: null, comment: null, message: clearParent },
    checks: messageRules,
    redacts: wordsOf('message'),
    backup: 'rows',
  },
  posts: {
    on: { post: null, comment: clearResolvedComment, message: null },
    checks: resolvedCommentRules,
    redacts: wordsOf('post'),
    backup: 'rows',
  },
}

const all = Object.values<Dependant>(dependants)

export const dependantRules: readonly Rule[] = all.flatMap(({ checks }) => checks)

/** The tables that a backup leaves out. */
export const madeAgain: readonly string[] = Object.entries<Dependant>(dependants)
  .filter(([, { backup }]) => backup === 'made again')
  .map(([table]) => table)

/** What people wrote, once for each place in the data of an event. */
export const wordsInEvents: readonly JsonValue[] = [
  ...new Map(all.flatMap(({ redacts }) => redacts).map((value) => [value.path.join('.'), value])).values(),
]

export async function removeDependants<K extends Kind>(db: Writer, kind: K, gone: Gone[K]) {
  for (const { on } of all) {
    const remove: On[K] = on[kind]
    if (typeof remove === 'function') await remove(db, gone)
  }
}
