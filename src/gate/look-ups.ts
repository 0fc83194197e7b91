import { findPostToComment } from '../actions/comments'
import { findThreadToWriteIn } from '../actions/messages'
import { findPostToReactTo } from '../actions/reactions'
import type { Input, OperationName } from '../contract'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/db'

type LookUp<O extends OperationName> = (db: Reader, viewer: Viewer, input: Input<O>) => Promise<unknown>

/**
 * What an operation adds to, for those that are called most. Writes that share a transaction look it up together, before the
 * first of them changes anything, so a result must not contain what another such write changes: counts and times. These
 * operations must not read the log: their events are inserted at the end of the transaction.
 */
export const lookUps: { [O in OperationName]?: LookUp<O> } = {
  'comments.create': findPostToComment,
  'messages.create': findThreadToWriteIn,
  'reactions.addToPost': findPostToReactTo,
  'reactions.removeFromPost': findPostToReactTo,
}
