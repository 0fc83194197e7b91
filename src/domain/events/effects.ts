import { type OperationName, operations } from '../../contract'
import type { EventType } from '../../contract/event-types'
import { eventDefinitions } from '../../contract/events'
import type { InboxReason } from '../../contract/inbox'
import type { Operation } from '../../contract/operation'
import { eventTable, type Notification, type Row, rowOf, type TextChange, typesWhere } from './table'

/** The post, comment or message whose content an event holds; empty if it holds none. */
export const subjectOfEvent = (type: EventType, data: object): string =>
  eventTable[type].content?.subjectId(data as never) ?? ''

/** Whether an event is about a post, comment or message, or about what one member sees alone: it changes nobody's rights. */
export const leavesRights = (type: string): boolean => rowOf(type)?.content != null || rowOf(type)?.moves === 'personal'

/** Whether only the recipients of an event can notice what it tells. */
export const isPersonal = (type: string): boolean => rowOf(type)?.moves === 'personal'

/** Whether posts and threads can be found as before an event, such as one about a comment. */
export const leavesPosts = (type: EventType): boolean =>
  isPersonal(type) || eventTable[type].content?.changesPost === false

/** Whether an event says that content was deleted, and that earlier events no longer hold it. */
export const deletesContent = (type: string): boolean => rowOf(type)?.content?.isDeletion === true

/** The text to search that is new or may have changed, according to an event; undefined if none. */
export const textChangeOf = (type: string): TextChange | undefined => rowOf(type)?.content?.text ?? undefined

/** The content of each shape that events hold. */
const contentOfShape = new Map<unknown, Row<EventType>['content']>(
  typesWhere(({ content }) => content !== null).map((type) => [eventDefinitions[type].data, rowOf(type)!.content]),
)

/** The post, comment or message that the answer of an operation shows; empty where it shows none. */
export const subjectOfResult = (name: OperationName, answer: unknown): string =>
  contentOfShape.get((operations[name] as Operation).output)?.subjectId(answer as never) ?? ''

export const notificationOf = (type: string): Notification | null => rowOf(type)?.notifies ?? null

/** The types of events that make entries. */
export const notifyingTypes = typesWhere(({ notifies }) => notifies !== null)

const groupReasons = { channel: 'channel_mention', here: 'here_mention', group: 'group_mention' } as const
/** How a text mentions someone without naming them. */
export type MentionedBy = keyof typeof groupReasons

interface Recipient {
  /** The event mentions them, or names them otherwise. */
  is_named: boolean
  /** The event mentions a group they are in, or their channel. */
  mentioned_by: MentionedBy | null
  /** They wrote what it replies to. */
  is_replied_to: boolean
}

/** Why this recipient gets an entry. */
export function reasonFor({ named, followers }: Notification, recipient: Recipient): InboxReason {
  if (recipient.is_named) return named
  if (recipient.mentioned_by) return groupReasons[recipient.mentioned_by]
  return recipient.is_replied_to ? 'reply' : followers!
}
