import type { Viewer } from '../../domain/permissions'
import type { ParamFor, prepare, Reader } from '../engines/db'
import { channelIsOpen, viewerKeysOf, viewerParams } from './visibility'

type Db = Pick<Reader, 'selectFrom' | 'syntax'>

/** Those of the posts that are asked for that the viewer may see. Columns, and further conditions, are the caller's. */
export function visiblePosts(db: Db, param: ParamFor, seesPublic: boolean) {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where(isAsked(db, param, 'p'))
    .where(channelIsOpen('c', viewer))
}

export function visibleComments(db: Db, param: ParamFor, seesPublic: boolean) {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where(isAsked(db, param, 'm'))
    .where(channelIsOpen('c', viewer))
}

export const visibleMessages = (db: Db, param: ParamFor) =>
  db
    .selectFrom('messages as m')
    .innerJoin('thread_members as tm', 'tm.thread_key', 'm.thread_key')
    .where('tm.author_key', '=', param<number>('author'))
    .where(isAsked(db, param, 'm'))

const isAsked = ({ syntax }: Db, param: ParamFor, table: string) =>
  syntax.hasIdInJson(table, param<number>('workspace'), param<string>('ids'))

type Statement<S extends readonly boolean[], Row> = ReturnType<typeof prepare<S, Row>>

/** A statement for each kind of record, made of the functions above. */
interface Statements<Row> {
  posts: Statement<[seesPublic: boolean], Row>
  comments: Statement<[seesPublic: boolean], Row>
  messages: Statement<[], Row>
}

/** Looks up posts, comments and messages by their ids, with one statement for each kind that is asked for. */
export async function findByIds<Row>(
  db: Reader,
  viewer: Viewer,
  ids: readonly string[],
  { posts, comments, messages }: Statements<Row>,
): Promise<Row[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const find = async <S extends readonly boolean[]>(prefix: string, statement: Statement<S, Row>, shape: S) => {
    const asked = ids.filter((id) => id.startsWith(prefix))
    return asked.length === 0
      ? []
      : statement(db, shape, { ...keys, author: viewer.author.key, ids: JSON.stringify(asked) })
  }
  return [
    ...(await find('post_', posts, [seesPublic])),
    ...(await find('cmt_', comments, [seesPublic])),
    ...(await find('msg_', messages, [])),
  ]
}
