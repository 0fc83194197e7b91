import { type OperationName, operations } from '../contract'
import { Comment } from '../contract/comments'
import type { EventType } from '../contract/event-types'
import type { EventData } from '../contract/events'
import { Message } from '../contract/messages'
import type { Operation } from '../contract/operation'
import { Post } from '../contract/posts'

const itself = ({ id }: { id: string }) => id

/** The post, comment or message whose content an event holds. When that is deleted, the event loses the content. */
const subjects: { [E in EventType]: ((data: EventData<E>) => string) | null } = {
  'post.created': itself,
  'post.updated': itself,
  'post.deleted': itself,
  'post.resolved': itself,
  'post.unresolved': itself,
  'comment.created': itself,
  'comment.updated': itself,
  'comment.deleted': itself,
  'thread.created': null,
  'message.created': itself,
  'message.updated': itself,
  'message.deleted': itself,
  'channel.created': null,
  'channel.updated': null,
  'channel.deleted': null,
  'channel.member_added': null,
  'channel.member_removed': null,
  'member.created': null,
  'member.updated': null,
  'member.deactivated': null,
  'member.reactivated': null,
  'app.mentioned': ({ subject }) => subject.id,
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
  'workspace.created': null,
  'workspace.seeded': null,
}

/** Empty where an event holds no content. */
export const subjectOfEvent = (type: EventType, data: object): string => subjects[type]?.(data as never) ?? ''

/** Whether an event is about a post, comment or message: what it tells of changes nobody's rights. */
export const isAboutContent = (type: EventType): boolean => subjects[type] !== null

/** Whether an event says that content was deleted, and with it what earlier events held of it. */
export const deletesContent = (type: string): boolean =>
  type.endsWith('.deleted') && subjects[type as EventType] !== null

const contents: readonly unknown[] = [Post, Comment, Message]

/** The post, comment or message that the answer of an operation shows; empty where it shows none. */
export const subjectOfAnswer = (name: OperationName, answer: unknown): string =>
  contents.includes((operations[name] as Operation).output) ? (answer as { id: string }).id : ''
