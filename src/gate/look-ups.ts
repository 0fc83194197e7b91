import type { Input, OperationName } from '../contract'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/db'
import { findCommentedPost } from '../store/posts'
import { findThread } from '../store/threads'

type LookUp<O extends OperationName> = (db: Reader, viewer: Viewer, input: Input<O>) => Promise<unknown>

/**
 * What an operation adds to, for those that are called most. Writes that share a transaction look it up together, before the
 * first of them changes anything: so it must not depend on the comments and messages that others add. The action gets
 * it from `context.lookUp`. It must not read the log, which gets the events of such writes at the end of the transaction.
 */
export const lookUps: { [O in OperationName]?: LookUp<O> } = {
  'comments.create': (db, viewer, { post_id }) => findCommentedPost(db, viewer, post_id),
  'messages.create': (db, viewer, { thread_id }) => findThread(db, viewer, thread_id),
}
