import { sql } from 'kysely'
import { inBatches } from '../engines/bulk'
import type { Writer } from '../engines/db'
import type { JsonPath, JsonValue } from '../engines/syntax'

/**
 * A deleted record's content also goes from the events about it and from the answers that are kept for replays. All of it
 * happens in the transaction of the deletion, so that nobody can read either afterwards.
 */
export async function redactRecords(db: Writer, workspaceKey: number, ids: readonly string[]) {
  await inBatches(ids, async (some) => {
    await redactEvents(db, workspaceKey, some)
    await emptyResponses(db, workspaceKey, some)
    await redactReceiverResponses(db, workspaceKey, some)
  })
}

const redactEvents = (db: Writer, workspaceKey: number, ids: readonly string[]) =>
  db
    .updateTable('events')
    .set({ data: db.syntax.replaceInJson(sql.ref('data'), contentOfRecord), is_redacted: true })
    .where('workspace_key', '=', workspaceKey)
    .where('subject_id', 'in', ids)
    .where(hasSubject)
    .where('is_redacted', '=', false)
    .execute()

const emptyResponses = (db: Writer, workspaceKey: number, ids: readonly string[]) =>
  db
    .updateTable('idempotency_keys')
    .set({ answer: '' })
    .where('workspace_key', '=', workspaceKey)
    .where('subject_id', 'in', ids)
    .where(hasSubject)
    .execute()

/** A receiver of webhooks may have answered with what was sent to it. After the events: see `isUnchanged` in jobs/webhooks. */
const redactReceiverResponses = (db: Writer, workspaceKey: number, ids: readonly string[]) =>
  db
    .updateTable('delivery_attempts')
    .set({ response_body: null })
    .where('response_body', 'is not', null)
    .where('delivery_key', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .where('workspace_key', '=', workspaceKey)
        .where('revision', 'in', (inner) =>
          inner
            .selectFrom('events')
            .where('workspace_key', '=', workspaceKey)
            .where('subject_id', 'in', ids)
            .where(hasSubject)
            .select('revision'),
        )
        .select('key'),
    )
    .execute()

/** A comment may also be shown by its post, as what resolved it: the post keeps its resolution, without the comment. */
export async function redactResolvedComment(db: Writer, workspaceKey: number, postId: string, commentId: string) {
  for (const [table, column] of shown) {
    const json = sql`nullif(${sql.ref(column)}, '')`
    await db
      .updateTable(table)
      .set({ [column]: db.syntax.replaceInJson(json, resolvedComment) })
      .where('workspace_key', '=', workspaceKey)
      .where('subject_id', '=', postId)
      .where(hasSubject)
      .where((eb) => eb.or(resolvedComment.map(({ path }) => idAt(path))))
      .execute()

    function idAt(path: JsonPath) {
      return sql<boolean>`${db.syntax.textInJson(json, [...path, 'id'])} = ${commentId}`
    }
  }
  await redactReceiverResponses(db, workspaceKey, [postId])
}

const shown = [
  ['events', 'data'],
  ['idempotency_keys', 'answer'],
] as const

/** The indexes on `subject_id` hold only rows that have one; an engine uses them where a query says so. */
const hasSubject = sql<boolean>`subject_id <> ''`

/** Where JSON shows a post, comment or message: by itself, or as where an app was mentioned. */
const records: readonly JsonPath[] = [[], ['subject']]
const contentOfRecord: JsonValue[] = [
  ...records.flatMap((record): JsonValue[] => [
    { path: [...record, 'title'], to: '' },
    { path: [...record, 'content'], to: '' },
    { path: [...record, 'resolution'], to: null },
  ]),
  // What someone reacted with.
  { path: ['emoji'], to: '' },
  { path: ['emoji_url'], to: null },
]
const resolvedComment = records.map(
  (record): JsonValue => ({ path: [...record, 'resolution', 'resolved_comment'], to: null }),
)
