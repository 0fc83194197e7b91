import { sql } from 'kysely'
import { subjectTypes } from './attention/subjects'
import { prepare, type Reader, type RowOf, type Writer } from './engines/db'
import { channelIsOpen } from './visibility'

const dueWorkspace = prepare((db, param) =>
  db
    .selectFrom('saved_posts')
    .where('remind_at', 'is not', null)
    .where('remind_at', '<=', param<number>('now'))
    .orderBy('remind_at')
    .orderBy('author_key')
    .orderBy('post_key')
    .limit(1)
    .select('workspace_key'),
)

/** The workspace whose reminder has been due the longest; undefined if none is. */
export const findDueWorkspace = async (db: Reader, now: number): Promise<number | undefined> =>
  (await dueWorkspace(db, [], { now }))[0]?.workspace_key

/** Whether a member `m` can see the channel `c` of the post, by the rule of `channelIsOpen`. */
const canSee = sql<boolean>`CASE WHEN m.is_deactivated = 0 AND CASE WHEN m.role = 'guest'
  THEN ${channelIsOpen('c', { me: sql.ref('m.author_key') as never, seesPublic: false })}
  ELSE ${channelIsOpen('c', { me: sql.ref('m.author_key') as never, seesPublic: true })} END THEN 1 ELSE 0 END`

/** Among so many reminders of all workspaces, those of one are looked for. */
const WINDOW = 1_000

/** Whatever is due is found, also without its member or post: what is not found would stay due, and be looked for again at once. */
const dueReminders = prepare((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('saved_posts')
        .where('remind_at', 'is not', null)
        .where('remind_at', '<=', param<number>('now'))
        .orderBy('remind_at')
        .orderBy('author_key')
        .orderBy('post_key')
        .limit(sql.lit(WINDOW))
        .selectAll()
        .as('s'),
    )
    .leftJoin('members as m', 'm.author_key', 's.author_key')
    .leftJoin('posts as p', 'p.key', 's.post_key')
    .leftJoin('channels as c', 'c.key', 'p.channel_key')
    .where('s.workspace_key', '=', param<number>('workspace'))
    .orderBy('s.remind_at')
    .limit(param<number>('limit'))
    .select(['s.author_key', 's.post_key', 's.post_id', 's.saved_at', canSee.as('is_visible')])
    .select((eb) => eb.fn.coalesce('p.channel_key', sql.lit(0)).as('channel_key')),
)

/** A reminder that is due, and whether its member may see the post at this moment. */
export type DueReminder = RowOf<typeof dueReminders>

/** The next reminders of a workspace, starting with the one that was due first. */
export const listDueReminders = (db: Reader, workspace: number, now: number, limit: number): Promise<DueReminder[]> =>
  dueReminders(db, [], { workspace, now, limit })

const clearStatement = prepare((db, param) =>
  db
    .updateTable('saved_posts')
    .set({ remind_at: null })
    .where('author_key', '=', param<number>('author_key'))
    .where('post_key', '=', param<number>('post_key')),
)

/** The post stays saved. */
export const clearReminder = (db: Writer, { author_key, post_key }: DueReminder) =>
  clearStatement(db, [], { author_key, post_key })

const entryStatement = prepare((db, param) =>
  db
    .insertInto('attention')
    .values({
      author_key: param<number>('author_key'),
      subject_type: sql.lit(subjectTypes.post),
      subject_key: param<number>('post_key'),
      workspace_key: param<number>('workspace'),
      channel_key: param<number>('channel_key'),
      entry_id: param<string>('entryId'),
      entry_revision: param<number>('revision'),
      entry_at: param<number>('now'),
      reason: 'reminder',
      actor_key: 0,
      item_key: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({
        entry_id: sql`coalesce(attention.entry_id, excluded.entry_id)`,
        entry_revision: sql`excluded.entry_revision`,
        entry_at: sql`excluded.entry_at`,
        reason: sql`excluded.reason`,
        actor_key: sql`excluded.actor_key`,
        item_key: sql`excluded.item_key`,
        read_at: null,
        archived_at: null,
        before_reactions: null,
      }),
    ),
)

/**
 * Puts the post of a reminder into the inbox of the member as unread, or moves it up there. This happens even if they muted the post,
 * because they asked for the reminder.
 */
export const addReminderEntry = (
  db: Writer,
  workspace: number,
  { author_key, post_key, channel_key }: DueReminder,
  entry: { entryId: string; revision: number; now: number },
) => entryStatement(db, [], { workspace, author_key, post_key, channel_key, ...entry })
