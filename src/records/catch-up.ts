import type { EventType } from '../contract/event-types'
import type { Reader } from '../store/db'
import { listChanges } from '../store/events'
import type { Memory } from './memory'
import type { Kind } from './shelf'

/** After more events than this it is quicker to read again what is asked for. */
const MOST_EVENTS = 500

interface Subject {
  id: string
  subject_id?: string
  parent_id?: string | null
}

type Changed = (data: Subject) => { ids?: (string | null | undefined)[]; kinds?: Kind[] }

const nothing: Changed = () => ({})
const itself: Changed = ({ id }) => ({ ids: [id] })
/** A post shows how many comments it has, and one of them as its resolution; a comment how many replies. */
const withThoseAbove: Changed = ({ id, parent_id, subject_id }) => ({ ids: [id, parent_id, subject_id] })

/**
 * Which remembered records an event changes. One that is not here may change any: a new name, say, is shown by all that
 * its bearer wrote, and a channel that is archived hides its posts.
 */
const changedBy: Partial<Record<EventType, Changed>> = {
  'post.created': nothing,
  'post.updated': itself,
  'post.deleted': itself,
  'post.resolved': itself,
  'post.unresolved': itself,
  'comment.created': withThoseAbove,
  'comment.updated': withThoseAbove,
  'comment.deleted': withThoseAbove,
  'message.created': nothing,
  'message.updated': itself,
  // What answered it answers nothing now.
  'message.deleted': () => ({ kinds: ['message'] }),
  'thread.created': nothing,
  'channel.created': nothing,
  'channel.member_added': nothing,
  'channel.member_removed': nothing,
  'member.created': nothing,
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
 * Brings what is remembered of a workspace to this revision: by the log, which has an event for every change and no gaps.
 * Where it does not tell what changed, all is forgotten.
 */
export async function catchUp(db: Reader, memory: Memory, workspaceKey: number, revision: number) {
  const known = memory.revisionOf(workspaceKey)
  if (known !== undefined && known >= revision) return
  const changed = known === undefined ? undefined : await changesBetween(db, workspaceKey, known, revision)
  if (changed) memory.moveOn(workspaceKey, revision, changed)
  else if ((memory.revisionOf(workspaceKey) ?? -1) < revision) memory.startOver(workspaceKey, revision)
}

async function changesBetween(db: Reader, workspaceKey: number, after: number, upTo: number) {
  if (upTo - after > MOST_EVENTS) return undefined
  const events = await listChanges(db, workspaceKey, after, upTo)
  if (events.length !== upTo - after) return undefined

  const ids: string[] = []
  const kinds: Kind[] = []
  for (const { type, data } of events) {
    const changed = changedBy[type as EventType]
    if (!changed) return undefined
    if (changed === nothing) continue
    const changes = changed(JSON.parse(data))
    for (const id of changes.ids ?? []) if (id) ids.push(id)
    kinds.push(...(changes.kinds ?? []))
  }
  return { ids, kinds }
}
