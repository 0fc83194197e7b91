import type { EventType } from '../contract/event-types'
import { isSamePosition, type Position } from '../domain/position'
import type { Reader } from '../store/db'
import { listChanges } from '../store/events'
import type { ListChange } from './lists'
import type { Changes, Memory } from './memory'
import type { Kind } from './shelf'

/** After more events than this it is quicker to read again what is asked for. */
const MOST_EVENTS = 500

interface Subject {
  id: string
  created_at: string
  subject_id?: string
  parent_id?: string | null
  thread_id?: string
}

interface Changed {
  /** The records that are not what they were. */
  ids?: (data: Subject) => (string | null | undefined)[]
  kinds?: Kind[]
  lists?: (data: Subject) => ListChange[]
}

const nothing: Changed = {}
const itself: Changed = { ids: ({ id }) => [id] }
/** A post shows how many comments it has, and one of them as its resolution; a comment how many replies. */
const withThoseAbove = ({ id, parent_id, subject_id }: Subject) => [id, parent_id, subject_id]
const oneMore = (kind: Kind, of: string, { created_at }: Subject): ListChange => ({
  kind,
  of,
  grewAt: Date.parse(created_at),
})
const postsMoved: ListChange = { kind: 'post', of: '', toRestless: true }

/**
 * Which remembered records and lists an event changes. One that is not here may change any: a new name, say, is shown by
 * all that its bearer wrote, and a channel that is archived hides its posts.
 */
const changedBy: Partial<Record<EventType, Changed>> = {
  'post.created': { lists: (post) => [oneMore('post', '', post)] },
  'post.updated': itself,
  'post.deleted': {
    ...itself,
    lists: ({ id }) => [
      { kind: 'post', of: '' },
      { kind: 'comment', of: id },
    ],
  },
  'post.resolved': { ...itself, lists: () => [postsMoved] },
  'post.unresolved': { ...itself, lists: () => [postsMoved] },
  'comment.created': {
    ids: withThoseAbove,
    lists: (comment) => [oneMore('comment', comment.subject_id!, comment), postsMoved],
  },
  'comment.updated': { ids: withThoseAbove },
  'comment.deleted': { ids: withThoseAbove, lists: ({ subject_id }) => [{ kind: 'comment', of: subject_id! }] },
  'message.created': { lists: (message) => [oneMore('message', message.thread_id!, message)] },
  'message.updated': itself,
  // What answered it answers nothing now.
  'message.deleted': { kinds: ['message'], lists: ({ thread_id }) => [{ kind: 'message', of: thread_id! }] },
  'thread.created': nothing,
  'channel.created': nothing,
  'channel.member_added': nothing,
  'channel.member_removed': nothing,
  'member.created': { lists: (member) => [oneMore('member', '', member)] },
  'member.deactivated': itself,
  'member.reactivated': itself,
  'app.mentioned': nothing,
  'app.created': nothing,
  'token.created': nothing,
  'token.revoked': nothing,
  'webhook.created': nothing,
  'webhook.updated': nothing,
  'webhook.deleted': nothing,
}

/**
 * Brings what is remembered of a workspace to this position: by the log, which has an event for every change and no gaps.
 * Where it does not tell what changed, or another history was restored, all is forgotten.
 */
export async function catchUp(db: Reader, memory: Memory, workspaceKey: number, position: Position) {
  const known = memory.positionOf(workspaceKey)
  if (known && isUpToDate(known, position)) return
  const changed = known && (await changesBetween(db, workspaceKey, known, position))
  if (changed) return memory.moveOn(workspaceKey, position, changed)
  const current = memory.positionOf(workspaceKey)
  if (!current || !isUpToDate(current, position)) memory.startOver(workspaceKey, position)
}

const isUpToDate = (known: Position, asked: Position) => known.revision > asked.revision || isSamePosition(known, asked)

async function changesBetween(
  db: Reader,
  workspaceKey: number,
  known: Position,
  asked: Position,
): Promise<Changes | undefined> {
  const distance = asked.revision - known.revision
  if (distance <= 0 || distance > MOST_EVENTS) return undefined
  const [first, ...events] = await listChanges(db, workspaceKey, known.revision, asked.revision)
  if (!first || !isSamePosition(first, known) || events.length !== distance) return undefined
  if (!isSamePosition(events.at(-1)!, asked)) return undefined

  const changes = { ids: [] as string[], kinds: [] as Kind[], lists: [] as ListChange[] }
  for (const { type, data } of events) {
    const changed = changedBy[type as EventType]
    if (!changed) return undefined
    if (changed === nothing) continue
    const subject: Subject = JSON.parse(data)
    for (const id of changed.ids?.(subject) ?? []) if (id) changes.ids.push(id)
    changes.kinds.push(...(changed.kinds ?? []))
    changes.lists.push(...(changed.lists?.(subject) ?? []))
  }
  return changes
}
