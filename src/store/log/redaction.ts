import { sql } from 'kysely'
import { writtenFields } from '../../domain/deleted-records'
import { inBatches } from '../engines/bulk'
import type { Writer } from '../engines/db'
import type { JsonPath, JsonValue } from '../engines/syntax'

/*
 * A deleted record's content also goes from the events about it and from the answers that are kept for replays. All of it
 * happens in the transaction of the deletion, so that nobody can read either afterwards.
 */

/** `words`: where the data of events holds what people wrote. */
export const redactEvents = (db: Writer, workspaceKey: number, ids: readonly string[], words: readonly JsonValue[]) =>
  inBatches(ids, async (some) => {
    await db
      .updateTable('events')
      .set({ data: db.syntax.replaceInJson(sql.ref('data'), words), is_redacted: true })
      .where('workspace_key', '=', workspaceKey)
      .where('subject_id', 'in', some)
      .where(hasSubject)
      .where('is_redacted', '=', false)
      .execute()
    await redactReceiverResponses(db, workspaceKey, some)
  })

export const emptyAnswers = (db: Writer, workspaceKey: number, ids: readonly string[]) =>
  inBatches(ids, (some) =>
    db
      .updateTable('idempotency_keys')
      .set({ answer: '' })
      .where('workspace_key', '=', workspaceKey)
      .where('subject_id', 'in', some)
      .where(hasSubject)
      .execute(),
  )

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

/** What people wrote in a post, comment or message, wherever JSON shows it. */
export const wordsOf = (kind: Parameters<typeof writtenFields>[0]): JsonValue[] =>
  writtenFields(kind).flatMap(([field, to]) => records.map((record) => ({ path: [...record, field], to })))

const resolvedComment = records.map(
  (record): JsonValue => ({ path: [...record, 'resolution', 'resolved_comment'], to: null }),
)
