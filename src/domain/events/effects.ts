import { type OperationName, operations } from '../../contract'
import { type EventType, eventTypes } from '../../contract/event-types'
import { type EventData, eventDefinitions } from '../../contract/events'
import type { Operation } from '../../contract/operation'
import { type SearchType, searchTypes } from '../../contract/search'

interface Content<Data> {
  /** The id of the post, comment or message whose content the event holds. */
  subjectId(data: Data): string
  /** Whether the event says that it was deleted. */
  isDeletion: boolean
  /** Whether it belongs to a post or a thread, which stays where it is and visible to the same people. */
  isNested: boolean
}

const subjectId = ({ id }: { id: string }) => id
const content = { subjectId, isDeletion: false, isNested: false }
const deletion = { subjectId, isDeletion: true, isNested: false }
const nested = { subjectId, isDeletion: false, isNested: true }
const nestedDeletion = { subjectId, isDeletion: true, isNested: true }

/** A reaction neither moves the record nor changes who can see it. */
const reaction = {
  subjectId: ({ subject_id }: { subject_id: string }) => subject_id,
  isDeletion: false,
  isNested: true,
}

/** The content that each type of event holds, if any. When its subject is deleted, earlier events lose the content. */
const contents: { [E in EventType]: Content<EventData<E>> | null } = {
  'post.created': content,
  'post.updated': content,
  'post.deleted': deletion,
  'post.resolved': content,
  'post.unresolved': content,
  'post.pinned': content,
  'post.unpinned': content,
  'comment.created': nested,
  'comment.updated': nested,
  'comment.deleted': nestedDeletion,
  'thread.created': null,
  'thread.member_added': null,
  'thread.member_removed': null,
  'message.created': nested,
  'message.updated': nested,
  'message.deleted': nestedDeletion,
  'file.deleted': null,
  'channel.created': null,
  'channel.updated': null,
  'channel.deleted': null,
  'channel.member_added': null,
  'channel.member_removed': null,
  'access.lost': null,
  'member.created': null,
  'member.updated': null,
  'member.deactivated': null,
  'member.reactivated': null,
  'profile.updated': null,
  'app.mentioned': { subjectId: ({ subject }) => subject.id, isDeletion: false, isNested: true },
  'app.created': null,
  'app.deleted': null,
  'token.created': null,
  'token.revoked': null,
  'session.created': null,
  'session.ended': null,
  'sign_in_link.created': null,
  'sign_in_link.revoked': null,
  'password.changed': null,
  'password.removed': null,
  'webhook.created': null,
  'webhook.updated': null,
  'webhook.deleted': null,
  'hook.created': null,
  'hook.updated': null,
  'hook.deleted': null,
  'reaction.added': reaction,
  'reaction.removed': reaction,
  'emoji.created': null,
  'emoji.deleted': null,
  'inbox.updated': null,
  'read.updated': null,
  'follow.updated': null,
  'draft.updated': null,
  'saved.updated': null,
  'workspace.created': null,
  'workspace.updated': null,
  'workspace.seeded': null,
}

/** The post, comment or message whose content an event holds; empty if it holds none. */
export const subjectOfEvent = (type: EventType, data: object): string => contents[type]?.subjectId(data as never) ?? ''

/** Whether an event is about a post, comment or message: it changes nobody's rights. */
export const isAboutContent = (type: EventType): boolean => contents[type] !== null

/** Whether an event is about a comment or a message: posts and threads can be found as before. */
export const isNested = (type: EventType): boolean => contents[type]?.isNested === true

/** Whether an event says that content was deleted, and that earlier events no longer hold it. */
export const deletesContent = (type: string): boolean =>
  Object.hasOwn(contents, type) && contents[type as EventType]?.isDeletion === true

/** What an event says about a text that can be searched. */
export interface TextChange {
  type: SearchType
  isNew: boolean
}

const textChanges = new Map(
  eventTypes.flatMap((type): [EventType, TextChange][] => {
    const [noun, verb] = type.split('.') as [SearchType, string]
    const isText = searchTypes.includes(noun) && !deletesContent(type)
    return isText ? [[type, { type: noun, isNew: verb === 'created' }]] : []
  }),
)

/** The text that is new or may have changed, according to an event; undefined if none. */
export const textChangeOf = (type: EventType): TextChange | undefined => textChanges.get(type)

/** The shapes that hold content: those of the events about it. */
const contentShapes: readonly unknown[] = eventTypes.filter(isAboutContent).map((type) => eventDefinitions[type].data)

/** The post, comment or message that the answer of an operation shows; empty where it shows none. */
export const subjectOfAnswer = (name: OperationName, answer: unknown): string =>
  contentShapes.includes((operations[name] as Operation).output) ? (answer as { id: string }).id : ''
