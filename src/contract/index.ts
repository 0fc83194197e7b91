import { apps } from './apps'
import { channels } from './channels'
import { comments } from './comments'
import { drafts } from './drafts'
import { edits } from './edits'
import { emoji } from './emoji'
import { events } from './events'
import { files } from './files'
import { follows } from './follows'
import { hooks } from './hooks'
import { inbox } from './inbox'
import { markdown } from './markdown'
import { me } from './me'
import { members } from './members'
import { messages } from './messages'
import type { InputOf, Operation, OutputOf } from './operation'
import { pins } from './pins'
import { posts } from './posts'
import { reactions } from './reactions'
import { reads } from './reads'
import { saved } from './saved'
import { search } from './search'
import { sessions } from './sessions'
import { signInLinks } from './sign-in-links'
import { threads } from './threads'
import { tokens } from './tokens'
import { unread } from './unread'
import { webhooks } from './webhooks'
import { workspace } from './workspace'

/** All operations of `/v2`. Operations are named like `posts.unresolve` everywhere. */
export const contract = {
  posts,
  comments,
  edits,
  channels,
  threads,
  messages,
  members,
  me,
  workspace,
  sessions,
  signInLinks,
  tokens,
  apps,
  markdown,
  search,
  inbox,
  unread,
  reads,
  follows,
  drafts,
  pins,
  saved,
  events,
  webhooks,
  hooks,
  files,
  reactions,
  emoji,
}

export type Contract = typeof contract
export type OperationName = {
  [N in keyof Contract]: { [V in keyof Contract[N]]: `${N & string}.${V & string}` }[keyof Contract[N]]
}[keyof Contract]

export type OperationNamed<O extends OperationName> = O extends `${infer N extends keyof Contract}.${infer V}`
  ? V extends keyof Contract[N]
    ? Contract[N][V] extends Operation
      ? Contract[N][V]
      : never
    : never
  : never

export type Input<O extends OperationName> = InputOf<OperationNamed<O>>
export type Output<O extends OperationName> = OutputOf<OperationNamed<O>>

/** The operations by name, in the order they are documented. */
export const operations = Object.fromEntries(
  Object.entries(contract).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, definition]) => [`${noun}.${verb}`, definition]),
  ),
) as Record<OperationName, Operation>
