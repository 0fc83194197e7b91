import type { ErrorCode } from '../../src/contract/errors'
import type { Role } from '../../src/contract/members'
import type { Attention } from './model-attention'
import type { Content } from './model-content'

/** The expected state of a workspace, as plain objects. */
export interface Model {
  people: Person[]
  channels: Channel[]
  posts: Post[]
  comments: Comment[]
  threads: Thread[]
  messages: Message[]
  attention: Attention
  content: Content
}

export interface Person {
  id: string
  /** An app has a token with write scope, everyone else one with all scopes. */
  role: Role | 'app'
  isDeactivated: boolean
}
export interface Channel {
  id: string
  name: string
  isPrivate: boolean
  isArchived: boolean
  createdAt: number
  creator: Person
  inside: Set<Person>
}
export interface Post {
  id: string
  channel: Channel
  author: Person
  title: string
  text: string
  createdAt: number
  activeAt: number
  /** Of what happened to the post itself last. */
  revision: number
  mention?: Person
  isGone: boolean
  resolution?: { by: Person; comment?: Comment; at: number }
}
export interface Comment {
  id: string
  post: Post
  parent?: Comment
  author: Person
  text: string
  createdAt: number
  revision: number
  mention?: Person
  /** Deleted, but still listed because it has replies. */
  isEmptied: boolean
  isGone: boolean
}
export interface Thread {
  id: string
  author: Person
  inside: Set<Person>
  isDirect: boolean
  createdAt: number
  activeAt: number
  revision: number
}
export interface Message {
  id: string
  thread: Thread
  parent?: Message
  author: Person
  text: string
  createdAt: number
  updatedAt: number
  revision: number
  mention?: Person
  isGone: boolean
}

/** Thrown if the model refuses a write. */
export class Refusal {
  constructor(readonly code: ErrorCode) {}
}

export function refuse(code: ErrorCode): never {
  throw new Refusal(code)
}

/** Refuses callers who are deactivated or lack the scope. */
export function admit({ role, isDeactivated }: Person, needed: 'read' | 'write' | 'admin') {
  if (isDeactivated) refuse('unauthenticated')
  if (role === 'app' && needed === 'admin') refuse('insufficient_scope')
  if (role === 'viewer' && needed !== 'read') refuse('forbidden')
  if (needed === 'admin' && role !== 'admin') refuse('forbidden')
}

/** Including archived channels. */
export const couldSee = (who: Person, { isPrivate, inside }: Channel) =>
  inside.has(who) || (!isPrivate && who.role !== 'guest')

export const seesChannel = (who: Person, channel: Channel) => !channel.isArchived && couldSee(who, channel)
export const seesPost = (who: Person, post: Post) => !post.isGone && seesChannel(who, post.channel)
export const seesComment = (who: Person, comment: Comment) => !comment.isGone && seesPost(who, comment.post)
export const seesThread = (who: Person, { inside }: Thread) => inside.has(who)
export const seesMessage = (who: Person, { isGone, thread }: Message) => !isGone && seesThread(who, thread)

/** Guests see members of their channels and threads; everyone else sees everyone. */
export function seesPerson({ channels, threads }: Model, who: Person, other: Person): boolean {
  if (who.role !== 'guest' || who === other) return true
  const places = [...channels.filter(({ isArchived }) => !isArchived), ...threads]
  return places.some(({ inside }) => inside.has(who) && inside.has(other))
}

export const mayEdit = (who: Person, author: Person) => who === author || who.role === 'admin'

export const commentsOf = ({ comments }: Model, post: Post) =>
  comments.filter((comment) => comment.post === post && !comment.isGone)
export const repliesTo = ({ comments }: Model, parent: Comment) =>
  comments.filter((comment) => comment.parent === parent && !comment.isGone)
export const messagesOf = ({ messages }: Model, thread: Thread) =>
  messages.filter((message) => message.thread === thread && !message.isGone)
