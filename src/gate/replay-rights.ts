import * as channels from '../actions/channels'
import * as comments from '../actions/comments'
import type { ReadContext, WriteContext } from '../actions/context'
import * as files from '../actions/files'
import * as members from '../actions/members'
import * as messages from '../actions/messages'
import * as posts from '../actions/posts'
import * as threads from '../actions/threads'
import * as webhooks from '../actions/webhooks'
import type { OperationName, OperationNamed, Output } from '../contract'
import { notFound } from '../contract/errors'
import { findApp } from '../store/apps'

/** The operations whose answers are stored under an `Idempotency-Key`: each POST whose answer shows no secret. */
type StoredOperation = {
  [O in OperationName]: OperationNamed<O> extends { method: 'POST'; output: object }
    ? OperationNamed<O> extends { secret: true }
      ? never
      : O
    : never
}[OperationName]

type Read<O extends OperationName> = (context: ReadContext, answer: Output<O>) => Promise<unknown>

/** Reads what a stored answer shows, as its caller may read it now; throws where they may not. */
const reads: { [O in StoredOperation]: Read<O> } = {
  'posts.create': (context, { id }) => posts.get(context, { id }),
  'posts.resolve': (context, { id }) => posts.get(context, { id }),
  'comments.create': (context, { id }) => comments.get(context, { id }),
  'channels.create': (context, { id }) => channels.get(context, { id }),
  'threads.create': (context, { id }) => threads.get(context, { id }),
  'messages.create': (context, { id }) => messages.get(context, { id }),
  'messages.createDirect': (context, { id }) => messages.get(context, { id }),
  'members.create': (context, { id }) => members.get(context, { id }),
  'apps.create': async ({ db, viewer }, { id }) => {
    if (!(await findApp(db, viewer, id))) throw notFound('app')
  },
  'files.upload': (context, { id }) => files.get(context, { id }),
  // It shows what the caller sent, and changes nothing.
  'markdown.render': async () => undefined,
  // It says where something was posted, and shows nothing of it.
  'hooks.test': async () => undefined,
  'webhooks.ping': (context, { id }) => webhooks.delivery(context, { id }),
  'webhooks.replay': (context, { id }) => webhooks.get(context, { id }),
  'webhooks.redeliver': (context, { id }) => webhooks.delivery(context, { id }),
}

/** Throws where the caller may no longer see what the stored answer of an operation shows. */
export async function requireReadable(context: WriteContext, name: OperationName, answer: string): Promise<void> {
  // Answers without a body show nothing.
  const read = reads[name as StoredOperation] as Read<OperationName> | undefined
  await read?.({ ...context, ...readOnce }, JSON.parse(answer))
}

const readOnce = {
  revision: 0,
  searchBudget: 0,
  findMembersByText: async () => ({ allMembers: [], indexes: new Uint32Array(), get: () => undefined }),
  volatile: () => {},
  onRevisionChanged: () => {},
}
