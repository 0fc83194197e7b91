import type { Comment } from '../contract/comments'
import type { Member } from '../contract/members'
import type { Message } from '../contract/messages'
import type { Post, Resolution } from '../contract/posts'
import type { Author } from '../contract/shapes'
import { timestamp } from './timestamps'

/**
 * What belongs to a record alone, as the JSON members that are stored with it: an object without its braces. A page puts
 * them together with what other rows say, such as the author's name, so that no row has to be turned into JSON to be read.
 */
const fieldsOf = (part: object): string => JSON.stringify(part).slice(1, -1)

/** The object that stored fields are the members of. */
export const parseFields = <T>(fields: string): T => JSON.parse(`{${fields}}`) as T

export type PostFields = Pick<Post, 'id' | 'title' | 'created_at' | 'content'>
export type PostActivity = Pick<Post, 'last_activity_at' | 'comments_count'>
export const postFields = (post: { id: string; title: string; published_at: number; content: string }): string =>
  fieldsOf({
    id: post.id,
    title: post.title,
    created_at: timestamp(post.published_at),
    content: post.content,
  } satisfies PostFields)
export const parsePostFields = (fields: string) => parseFields<PostFields>(fields)

/** As much of the fields of a post as holds its title for certain: 300 characters, each at most six in JSON, after id and name. */
export const TITLE_END = 2_000
/** The title of a post, from the beginning of its fields: the content may be long. */
export const parsePostTitle = (fields: string): string => JSON.parse(/"title":("(?:[^"\\]|\\.)*")/.exec(fields)![1]!)

/** The fields of a post that comments and resolutions change. */
export const postActivity = (post: { last_activity_at: number; comments_count: number }): string =>
  fieldsOf({
    last_activity_at: timestamp(post.last_activity_at),
    comments_count: post.comments_count,
  } satisfies PostActivity)

/** The activity of a post up to the number of its comments, which comes last. It always has the same length. */
export const postActivityTime = (last_activity_at: number): string =>
  postActivity({ last_activity_at, comments_count: 0 }).slice(0, -1)

export type ResolutionFields = Pick<Resolution, 'resolved_at' | 'resolved_html'>
export const resolutionFields = (resolution: { resolved_at: number; resolved_html: string | null }): string =>
  fieldsOf({
    resolved_at: timestamp(resolution.resolved_at),
    resolved_html: resolution.resolved_html,
  } satisfies ResolutionFields)

export type CommentFields = Omit<Comment, 'replies_count' | 'author'>
export interface OwnComment {
  id: string
  content: string
  created_at: number
  parent_id: string | null
  post_id: string
}
export const commentFields = (comment: OwnComment): string =>
  fieldsOf({
    id: comment.id,
    content: comment.content,
    created_at: timestamp(comment.created_at),
    parent_id: comment.parent_id,
    subject_id: comment.post_id,
    subject_type: 'post',
  } satisfies CommentFields)

export type MessageFields = Omit<Message, 'author'>
export interface OwnMessage {
  id: string
  content: string
  created_at: number
  updated_at: number
  parent_id: string | null
  thread_id: string
}
export const messageFields = (message: OwnMessage): string =>
  fieldsOf({
    id: message.id,
    content: message.content,
    created_at: timestamp(message.created_at),
    updated_at: timestamp(message.updated_at),
    parent_id: message.parent_id,
    thread_id: message.thread_id,
  } satisfies MessageFields)

interface Records {
  post: Post
  comment: Comment
  message: Message
}

const KEPT = undefined
/** What each field is once the record is deleted: what people wrote is gone. */
const deletedFields: { [K in keyof Records]: { [Field in keyof Records[K]]: typeof KEPT | '' | null } } = {
  post: {
    id: KEPT,
    title: '',
    created_at: KEPT,
    last_activity_at: KEPT,
    url: KEPT,
    content: '',
    comments_count: KEPT,
    channel: KEPT,
    author: KEPT,
    resolution: null,
  },
  comment: {
    id: KEPT,
    content: '',
    created_at: KEPT,
    replies_count: KEPT,
    parent_id: KEPT,
    subject_id: KEPT,
    subject_type: KEPT,
    author: KEPT,
  },
  message: {
    id: KEPT,
    content: '',
    created_at: KEPT,
    updated_at: KEPT,
    parent_id: KEPT,
    thread_id: KEPT,
    author: KEPT,
  },
}

/** The fields that hold what people wrote, with the values they have once the record is deleted. */
export const writtenFields = (kind: keyof Records): [field: string, deleted: '' | null][] =>
  Object.entries<typeof KEPT | '' | null>(deletedFields[kind]).flatMap(([field, deleted]) =>
    deleted === KEPT ? [] : [[field, deleted]],
  )

/** A record as the event of its deletion shows it. */
export const asDeleted = <K extends keyof Records>(kind: K, record: Records[K]): Records[K] => ({
  ...record,
  ...Object.fromEntries(writtenFields(kind)),
})

export const authorFields = ({ id, type, name }: Pick<Author, 'id' | 'type' | 'name'>): string =>
  fieldsOf({ name, id, type } satisfies Omit<Author, 'avatar_urls'>)

export const channelFields = ({ id, name }: Post['channel']): string => fieldsOf({ id, name } satisfies Post['channel'])

export type MemberFields = Pick<Member, 'id' | 'created_at'>
export const memberFields = ({ id, created_at }: { id: string; created_at: number }): string =>
  fieldsOf({ id, created_at: timestamp(created_at) } satisfies MemberFields)

export type UserFields = Pick<Member['user'], 'id' | 'email'>
export const userFields = ({ id, email }: { id: string; email: string }): string =>
  fieldsOf({ id, email } satisfies UserFields)
