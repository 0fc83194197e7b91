import type { Contract, Input, OperationName, Output } from '../contract'
import type { JsonText } from '../domain/json-text'
import type { FileRow } from '../store/files/files'
import * as apps from './apps'
import * as audience from './audience'
import * as channels from './channels'
import * as comments from './comments'
import type { ReadContext, WriteContext } from './context'
import * as drafts from './drafts'
import * as edits from './edits'
import * as emoji from './emoji'
import * as events from './events'
import * as files from './files'
import * as follows from './follows'
import * as groups from './groups'
import * as hooks from './hooks'
import * as inbox from './inbox'
import * as invitations from './invitations'
import * as inviteLinks from './invite-links'
import * as markdown from './markdown'
import * as me from './me'
import * as members from './members'
import * as messages from './messages'
import * as pins from './pins'
import * as posts from './posts'
import * as reactions from './reactions'
import * as reads from './reads'
import * as saved from './saved'
import * as search from './search'
import * as sessions from './sessions'
import * as sidebar from './sidebar'
import * as signInLinks from './sign-in-links'
import * as threads from './threads'
import * as tokens from './tokens'
import * as unread from './unread'
import * as webhooks from './webhooks'
import * as workspace from './workspace'

type ContextOf<O> = O extends { method: 'GET' } ? ReadContext : WriteContext

/** What an action returns: the value, or its JSON. */
type Answered<T> = T | JsonText<T>

type Actions = {
  [N in keyof Contract]: {
    [V in keyof Contract[N]]: (
      context: ContextOf<Contract[N][V]>,
      input: Input<`${N & string}.${V & string}` & OperationName>,
    ) => Promise<
      Contract[N][V] extends { download: true }
        ? FileRow
        : Answered<Output<`${N & string}.${V & string}` & OperationName>>
    >
  }
}

/** One function for each operation: a missing one, or one that returns the wrong shape, does not compile. */
export const actions = {
  posts,
  comments,
  edits,
  channels,
  threads,
  messages,
  members,
  groups,
  me,
  workspace,
  sessions,
  signInLinks,
  invitations,
  inviteLinks,
  tokens,
  apps,
  markdown,
  audience,
  search,
  inbox,
  unread,
  reads,
  follows,
  sidebar,
  drafts,
  pins,
  saved,
  events,
  webhooks,
  hooks,
  files,
  reactions,
  emoji,
} satisfies Actions

/** The same records as the Markdown they were written in. */
export const markdownSources: Partial<Record<OperationName, MarkdownSource>> = {
  'posts.get': posts.source,
  'posts.getResolution': posts.resolutionSource,
  'comments.get': comments.source,
  'messages.get': messages.source,
}

type MarkdownSource = (context: ReadContext, input: { id: string; post_id: string }) => Promise<string>

// biome-ignore lint/suspicious/noExplicitAny: the gate calls by name; the types were checked above
export type AnyAction = (context: any, input: any) => Promise<unknown>

export const actionNamed = (name: OperationName): AnyAction => {
  const [noun, verb] = name.split('.') as [keyof typeof actions, string]
  return (actions[noun] as unknown as Record<string, AnyAction>)[verb]!
}
