import type { Position } from '../domain/events/positions'
import { prepare, type Reader } from './db'

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

const positionsBetween = prepare((db, param) =>
  db
    .selectFrom('events')
    .where('workspace_key', '=', param<number>('workspace'))
    .where('revision', '>', param<number>('after'))
    .where('revision', '<=', param<number>('upTo'))
    .orderBy('revision', 'desc')
    .limit(param<number>('limit'))
    .select(['revision', 'nonce']),
)

/** The last positions of the log between two revisions, in order. */
export const listPositions = async (db: Reader, workspace: number, after: number, upTo: number, limit: number) =>
  (await positionsBetween(db, [], { workspace, after, upTo, limit })).reverse()
