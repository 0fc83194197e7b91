import type { Finding } from '../engines/damage'
import { countRows, type Reader, type Writer } from '../engines/db'
import type { Engine } from '../engines/engine'
import { checkPostgres, checkPostgresData, warnOfPostgres } from '../engines/postgres/checks'
import { checkSqlite, checkSqliteData } from '../engines/sqlite/checks'

/** What each engine can say about itself. */
export const checkEngine = (engine: Engine): Promise<Finding[]> =>
  ({ sqlite: checkSqlite, postgres: checkPostgres })[engine.kind](engine)

/** What to tell the operator at every start. */
export const warnOfEngine = async (engine: Engine): Promise<string | undefined> =>
  engine.kind === 'postgres' ? warnOfPostgres(engine) : undefined

/** Whether what is stored can be read; a full check reads all of it. */
export const checkData = (engine: Engine, isFull: boolean): Promise<Finding[]> =>
  ({ sqlite: checkSqliteData, postgres: checkPostgresData })[engine.kind](engine, isFull)

/** A change that changes nothing. */
export const touch = (db: Writer) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({ revision: eb.ref('revision') }))
    .execute()

/** The workspaces that nobody can manage. */
export const listWithoutAdmin = (db: Reader) =>
  db
    .selectFrom('workspaces as w')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members as m')
            .whereRef('m.workspace_key', '=', 'w.key')
            .where('m.role', '=', 'admin')
            .where('m.is_deactivated', '=', false)
            .select('m.author_key'),
        ),
      ),
    )
    .select('w.slug')
    .execute()

/** Links that ran out before anyone used them. */
export const countLostLinks = (db: Reader, now: number): Promise<number> =>
  countRows(db.selectFrom('sign_in_links').where('expires_at', '<=', now))

/** When the newest change of any workspace happened. */
export const findNewestEvent = async (db: Reader): Promise<number> =>
  (
    await db
      .selectFrom('workspaces as w')
      .innerJoin('events as e', (join) =>
        join.onRef('e.workspace_key', '=', 'w.key').onRef('e.revision', '=', 'w.revision'),
      )
      .select((eb) => eb.fn.max('e.created_at').as('at'))
      .executeTakeFirstOrThrow()
  ).at ?? 0
