import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Event } from '../../contract/events'
import { isPersonal, leavesRights } from '../../domain/events/effects'
import { eventId, type Position } from '../../domain/events/positions'
import type { Group } from '../../domain/events/table'
import { eventTypesFor, groups, joinedAt, recipientList } from '../../domain/events/visibility'
import { type Links, toAuthor } from '../../domain/links'
import { canManage, seesPublic, type Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { channelIsVisible, viewerKeysOf } from '../access/visibility'
import { insertRows } from '../engines/bulk'
import { prepare, type Reader, type Writer } from '../engines/db'
import { optionalStoredAuthor } from '../lists/record-json'
import { setPositions } from '../people/workspaces'
import type { Tables } from '../schema'

export type EventRow = Tables['events']

/** An event with who did it. */
export interface LoggedEvent extends EventRow {
  actor: string | null
}

/** Appends events to the log of a workspace that is locked, and moves its positions. */
export async function appendEvents(db: Writer, events: readonly EventRow[]) {
  const last = events.at(-1)
  if (!last) return
  const content = events.findLast(({ type }) => !isPersonal(type))
  const access = events.findLast(({ type }) => !leavesRights(type))
  await setPositions(db, last.workspace_key, {
    revision: last.revision,
    nonce: last.nonce,
    content_revision: content?.revision,
    content_nonce: content?.nonce,
    access_revision: access?.revision,
  })
  await insertRows(db, 'events', events)
}

const recipientsOf = ({ recipients }: EventRow): number[] => recipients.split(',').filter(Boolean).map(Number)

const moveStatement = prepare((db, param) =>
  db
    .insertInto('personal_states')
    .columns(['author_key', 'nonce'])
    .expression((eb) =>
      eb
        .selectFrom('authors')
        .where(db.syntax.isInJson('authors.key', param<string>('keys')))
        .select(['authors.key', sql<number>`cast(${param<number>('nonce')} AS bigint)`.as('nonce')]),
    )
    .onConflict((conflict) => conflict.column('author_key').doUpdateSet({ nonce: (eb) => eb.ref('excluded.nonce') })),
)

/** Responses about what the recipients of personal events see alone are out of date. */
export async function movePersonal(db: Writer, events: readonly EventRow[]) {
  const personal = events.filter(({ type }) => isPersonal(type))
  if (personal.length === 0) return
  const keys = JSON.stringify([...new Set(personal.flatMap(recipientsOf))])
  await moveStatement(db, [], { keys, nonce: personal[0]!.nonce })
}

const logOf = (db: Reader, workspaceKey: number, after: number, limit: number) =>
  db
    .selectFrom('events')
    .leftJoin('authors as actor', 'actor.key', 'events.actor_key')
    .where('events.workspace_key', '=', workspaceKey)
    .where('events.revision', '>', after)
    .selectAll('events')
    .select(optionalStoredAuthor('actor').as('actor'))
    .orderBy('events.revision')
    .limit(limit)

/** The log of a workspace after a revision, in order, for no particular viewer. */
export const listEvents = (db: Reader, workspaceKey: number, after: number, limit: number): Promise<LoggedEvent[]> =>
  logOf(db, workspaceKey, after, limit).execute()

/** The events between two revisions that this viewer can see now. */
export const listVisibleEvents = (
  db: Reader,
  viewer: Viewer,
  { after, upTo, limit, types }: { after: number; upTo: number; limit: number; types?: readonly string[] },
): Promise<LoggedEvent[]> =>
  logOf(db, viewer.workspace.key, after, limit)
    .where('events.revision', '<=', upTo)
    .where(isVisible(viewer))
    .$if(types !== undefined, (query) => query.where('events.type', 'in', types!))
    .execute()

type EventBuilder = ExpressionBuilder<Tables, 'events'>

/** Whether this viewer can see an event, as `isEventVisible` in domain/events/visibility.ts decides it in memory. */
const isVisible =
  (viewer: Viewer) =>
  (builder: unknown): Expression<SqlBool> => {
    const eb = builder as EventBuilder
    const isIn: { [G in Group]: Expression<SqlBool> } = {
      channel: eb.exists(visibleChannel(eb, viewer, false)),
      archivedChannel: eb.exists(visibleChannel(eb, viewer, true)),
      hiddenChannel: seesPublic(viewer) ? isHidden(eb, viewer) : eb.lit(false),
      thread: eb.exists(ownThread(eb, viewer)),
      recipients: eb('events.recipients', 'like', `%${recipientList([viewer.author.key])}%`),
      everyone: eb.lit(true),
      allButGuests: eb.lit(seesPublic(viewer)),
      admins: eb.lit(canManage(viewer)),
    }
    return eb.or(groups.map((group) => eb.and([eb('events.type', 'in', eventTypesFor(group)), isIn[group]])))
  }

/** The channel of an event, if this viewer can see it; or could see it, if it is archived. */
const visibleChannel = (eb: EventBuilder, viewer: Viewer, isArchived: boolean) =>
  eb
    .selectFrom('channels')
    .whereRef('channels.key', '=', 'events.channel_key')
    .where('channels.archived_at', isArchived ? 'is not' : 'is', null)
    .where(channelIsVisible('channels', viewerKeysOf(viewer)))
    .select(sql`1`.as('one'))

/** Whether the event has a channel that this viewer, who was here by then, cannot see, archived or not. */
const isHidden = (eb: EventBuilder, viewer: Viewer) =>
  eb.and([
    eb('events.channel_key', '<>', 0),
    eb('events.created_at', '>=', joinedAt(viewer)),
    eb.not(
      eb.exists(
        eb
          .selectFrom('channels')
          .whereRef('channels.key', '=', 'events.channel_key')
          .where(channelIsVisible('channels', viewerKeysOf(viewer)))
          .select(sql`1`.as('one')),
      ),
    ),
  ])

const ownThread = (eb: EventBuilder, viewer: Viewer) =>
  eb
    .selectFrom('thread_members as mine')
    .whereRef('mine.thread_key', '=', 'events.thread_key')
    .where('mine.author_key', '=', viewer.author.key)
    .select(sql`1`.as('one'))

/** Locks an event until the end of the transaction. */
export const lockEvent = (db: Writer, workspaceKey: number, revision: number) =>
  db.syntax
    .forUpdate(
      db
        .selectFrom('events')
        .where('workspace_key', '=', workspaceKey)
        .where('revision', '=', revision)
        .select('revision'),
    )
    .execute()

/** Deletes events of a workspace that are older than the log is kept, a bounded number at a time. */
export async function deleteOldEvents(db: Writer, workspaceKey: number, before: number): Promise<number> {
  const { oldest } = await findLogEnds(db, workspaceKey)
  const old = db
    .selectFrom('events')
    .where('workspace_key', '=', workspaceKey)
    .where('revision', '<', oldest + 1_000)
    .where('created_at', '<', before)
  const last = await old.select(['revision', 'nonce']).orderBy('revision', 'desc').limit(1).executeTakeFirst()
  if (!last) return 0
  await db
    .updateTable('workspaces')
    .set({ pruned_revision: last.revision, pruned_nonce: last.nonce })
    .where('key', '=', workspaceKey)
    .where('pruned_revision', '<', last.revision)
    .execute()
  await db
    .deleteFrom('events')
    .where('workspace_key', '=', workspaceKey)
    .where('revision', '<=', last.revision)
    .execute()
  return last.revision - oldest + 1
}

const logEnds = prepare((db, param) =>
  db.selectFrom('workspaces').where('key', '=', param<number>('key')).select(['revision', 'nonce', 'pruned_revision']),
)

/** The oldest revision the log of a workspace still holds, and the newest there is. */
export async function findLogEnds(db: Reader, workspaceKey: number): Promise<{ oldest: number; newest: Position }> {
  const [ends] = await logEnds(db, [], { key: workspaceKey })
  const { pruned_revision, ...newest } = ends!
  return { newest, oldest: pruned_revision + 1 }
}

const nonceByRevision = prepare((db, param) =>
  db
    .selectFrom('workspaces as w')
    .leftJoin('events as e', (join) =>
      join.onRef('e.workspace_key', '=', 'w.key').on('e.revision', '=', param<number>('revision')),
    )
    .where('w.key', '=', param<number>('key'))
    .select((eb) =>
      eb
        .case()
        .when('e.nonce', 'is not', null)
        .then(eb.ref('e.nonce'))
        .when('w.pruned_revision', '=', param<number>('revision'))
        .then(eb.ref('w.pruned_nonce'))
        .when('w.revision', '=', param<number>('revision'))
        .then(eb.ref('w.nonce'))
        .end()
        .as('nonce'),
    ),
)

/** The nonce of a change; undefined where there was no such change, or it is no longer known. */
export async function findNonce(db: Reader, workspaceKey: number, revision: number): Promise<number | undefined> {
  const [found] = await nonceByRevision(db, [], { key: workspaceKey, revision })
  return found?.nonce ?? undefined
}

/** Whether the log of a workspace goes through this position: false after another history was restored. */
export const isInLog = async (db: Reader, workspaceKey: number, { revision, nonce }: Position): Promise<boolean> =>
  (await findNonce(db, workspaceKey, revision)) === nonce

export const toEvent = (links: Links, workspaceId: string, row: LoggedEvent): Event =>
  ({
    id: eventId(workspaceId, row),
    type: row.type,
    timestamp: timestamp(row.created_at),
    workspace_id: workspaceId,
    actor: row.actor === null ? null : toAuthor(links, row.actor),
    via: row.via === null ? null : { name: row.via },
    is_redacted: row.is_redacted,
    data: JSON.parse(row.data),
  }) as Event
