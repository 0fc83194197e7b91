import { apps } from './apps'
import { audience } from './audience'
import { channels } from './channels'
import { comments } from './comments'
import { drafts } from './drafts'
import { edits } from './edits'
import { emoji } from './emoji'
import { events } from './events'
import { files } from './files'
import { follows } from './follows'
import { groups } from './groups'
import { hooks } from './hooks'
import { inbox } from './inbox'
import { invitations } from './invitations'
import { inviteLinks } from './invite-links'
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
import { sidebar } from './sidebar'
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
}

export type Contract = typeof contract

interface Noun {
  /** The name of a request body is the verb and this: `CreatePost`. */
  one: string
  /** As people write it, if that is not simply its name. */
  title?: string
  description: string
}

/** The groups of operations: the OpenAPI document and its pages describe them in these words. */
export const nouns = {
  posts: {
    one: 'Post',
    description: 'What people publish in channels. A post can be resolved, with a note or a comment.',
  },
  comments: { one: 'Comment', description: 'Answers to a post, and replies to those.' },
  edits: { one: 'Edit', description: 'When posts and comments were edited, and which program wrote them.' },
  channels: {
    one: 'Channel',
    description: 'Where posts are published. A private channel is seen by its members only.',
  },
  threads: { one: 'Thread', description: 'Conversations of two or more people. Only those who take part see them.' },
  messages: { one: 'Message', description: 'What people write in threads.' },
  members: { one: 'Member', description: 'The people of the workspace, with their roles.' },
  groups: { one: 'Group', description: 'Groups of people, who can be mentioned together: `@design`.' },
  me: { one: 'Me', description: 'You: the member or app that the token belongs to.' },
  workspace: { one: 'Workspace', description: 'The workspace that the token belongs to.' },
  sessions: { one: 'Session', description: 'The browsers you are signed in with.' },
  signInLinks: { one: 'SignInLink', title: 'Sign-in links', description: 'Links that sign a member in, once.' },
  invitations: { one: 'Invitations', description: 'Inviting several people at once.' },
  inviteLinks: { one: 'InviteLink', title: 'Invite links', description: 'Links by which people join the workspace.' },
  tokens: { one: 'Token', description: 'Your access tokens.' },
  apps: { one: 'App', description: 'Programs that write under their own name, and their tokens.' },
  markdown: { one: 'Markdown', description: 'The Markdown that something was written in, and previews of Markdown.' },
  audience: { one: 'Audience', description: 'Who gets a text, and who of those it mentions cannot see it.' },
  search: { one: 'Search', description: 'Finds posts, comments and messages by their words.' },
  inbox: {
    one: 'InboxEntry',
    description: 'What you should look at: mentions, replies, messages, and what you follow.',
  },
  unread: { one: 'Unread', description: 'What you have not read yet.' },
  reads: { one: 'Read', description: 'Marks posts, threads and channels as read or unread.' },
  follows: { one: 'Follow', description: 'Which posts, threads and channels you want to be notified of.' },
  sidebar: { one: 'Sidebar', description: 'Your favorite channels, and the order of your others.' },
  drafts: {
    one: 'Draft',
    description: 'Texts that you have not sent yet, the same on all of your devices. Only you can see them.',
  },
  pins: { one: 'Pin', description: 'Posts that are pinned to the top of their channel.' },
  saved: { one: 'SavedPost', description: 'Posts that you saved for later, and reminders of them.' },
  events: {
    one: 'Event',
    description: 'Everything that happens in the workspace: as a log to read, and as a live stream.',
  },
  webhooks: {
    one: 'Webhook',
    description: 'Addresses that Parley sends events to. Requests are signed, and repeated until they arrive.',
  },
  hooks: {
    one: 'Hook',
    title: 'Incoming webhooks',
    description: 'Incoming webhooks: addresses that other systems post to, in the format of Slack or as Markdown.',
  },
  files: { one: 'File', description: 'Images and other files in posts, comments and messages.' },
  reactions: { one: 'Reaction', description: 'Emoji with which people react to posts, comments and messages.' },
  emoji: { one: 'Emoji', description: 'The custom emoji of the workspace.' },
} satisfies Record<keyof Contract, Noun>

/** A noun of the contract as people write it. */
export const nounTitle = (noun: string): string =>
  (nouns as Record<string, Noun>)[noun]?.title ?? noun[0]!.toUpperCase() + noun.slice(1)

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
