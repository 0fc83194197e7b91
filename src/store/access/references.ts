import { sql } from 'kysely'
import { type Kind, kindOf } from '../../contract/browser/kinds'
import type { Viewer } from '../../domain/permissions'
import type { Located } from '../../domain/references'
import { type Buildable, type ParamFor, prepare, type Reader } from '../engines/db'
import { canSeeChannel, viewerKeysOf, viewerParams, visibleMembers } from './visibility'

type Db = Pick<Reader, 'selectFrom' | 'syntax'>

/** For each kind, those of the records asked for that the viewer may see, as `record`. */
const visible = {
  post: (db: Db, param: ParamFor, seesPublic: boolean) =>
    db
      .selectFrom('posts as record')
      .innerJoin('channels as c', 'c.key', 'record.channel_key')
      .where(isAsked(db, param))
      .where(canSeeChannel('c', viewerParams(param, seesPublic))),
  comment: (db: Db, param: ParamFor, seesPublic: boolean) =>
    db
      .selectFrom('comments as record')
      .innerJoin('posts as p', 'p.key', 'record.post_key')
      .innerJoin('channels as c', 'c.key', 'p.channel_key')
      .where(isAsked(db, param))
      .where(canSeeChannel('c', viewerParams(param, seesPublic))),
  message: (db: Db, param: ParamFor) =>
    db
      .selectFrom('messages as record')
      .innerJoin('thread_members as tm', 'tm.thread_key', 'record.thread_key')
      .where('tm.author_key', '=', param<number>('author'))
      .where(isAsked(db, param)),
  thread: (db: Db, param: ParamFor) =>
    db
      .selectFrom('threads as record')
      .innerJoin('thread_members as tm', 'tm.thread_key', 'record.key')
      .where('tm.author_key', '=', param<number>('author'))
      .where(isAsked(db, param)),
  channel: (db: Db, param: ParamFor, seesPublic: boolean) =>
    db
      .selectFrom('channels as record')
      .where(isAsked(db, param))
      .where(canSeeChannel('record', viewerParams(param, seesPublic))),
  member: (db: Db, param: ParamFor, seesPublic: boolean) =>
    visibleMembers(db, viewerParams(param, seesPublic))
      .innerJoin('authors as record', 'record.key', 'members.author_key')
      .where(isAsked(db, param)),
}

const isAsked = ({ syntax }: Db, param: ParamFor) =>
  syntax.hasIdInJson('record', param<number>('workspace'), param<string>('ids'))

type VisibleKind = keyof typeof visible
type Visible<K extends VisibleKind> = ReturnType<(typeof visible)[K]>

/** What to select of the visible records of each kind, and further conditions. Other kinds are not found. */
type Selects<Row> = {
  [K in VisibleKind]?: (records: Visible<K>, param: ParamFor, db: Db) => Buildable<Row>
}

/** Defines a look-up of records by their ids, with one statement for each kind that is asked for. */
export function prepareVisible<Row>(selects: Selects<Row>) {
  const statements = Object.entries(selects).map(([name, select]) => {
    const kind = name as VisibleKind
    const statement = prepare((db, param, seesPublic: boolean) =>
      select(visible[kind](db, param, seesPublic) as never, param, db),
    )
    return { kind, statement }
  })
  return async (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<Row[]> => {
    const { seesPublic, ...keys } = viewerKeysOf(viewer)
    const rows: Row[] = []
    for (const { kind, statement } of statements) {
      const asked = ids.filter((id) => kindOf(id) === kind)
      if (asked.length === 0) continue
      const values = { ...keys, author: viewer.author.key, ids: JSON.stringify(asked) }
      rows.push(...(await statement(db, [seesPublic], values)))
    }
    return rows
  }
}

const none = sql.lit(0)
const [noAuthor, noChannel] = [none.as('author_key'), none.as('channel_key')]
const [noThread, noActivity] = [none.as('thread_key'), none.as('activity_revision')]
const own = ['record.key', 'record.id'] as const
const written = [...own, 'record.author_key'] as const

/** A comment that was deleted, and only keeps its place above its replies, is not found. */
const locate = prepareVisible<Omit<Located, 'kind'>>({
  post: (posts) =>
    posts
      .innerJoin('post_activity as n', 'n.post_key', 'record.key')
      .select([...written, 'record.channel_key', noThread, 'n.activity_revision']),
  comment: (comments) =>
    comments.where('record.is_deleted', '=', false).select([...written, 'p.channel_key', noThread, noActivity]),
  message: (messages) => messages.select([...written, noChannel, 'record.thread_key', noActivity]),
  thread: (threads) =>
    threads.select([...own, noAuthor, noChannel, 'record.key as thread_key', 'record.activity_revision']),
  channel: (channels) => channels.select([...own, noAuthor, 'record.key as channel_key', noThread, noActivity]),
})

/** The record with this id, if it is of one of these kinds and the viewer may see it. */
export async function findVisible<K extends Exclude<VisibleKind, 'member'>>(
  db: Reader,
  viewer: Viewer,
  id: string,
  kinds: readonly K[],
): Promise<Located<K> | undefined> {
  const kind = kinds.find((one: Kind) => one === kindOf(id))
  const [found] = kind ? await locate(db, viewer, [id]) : []
  return found && { kind: kind!, ...found }
}
