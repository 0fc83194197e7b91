import type { Feed } from '../feed'

/** Where files are listed: a channel or a thread. */
export type FileLocation = { channel_id: string } | { thread_id: string }

/** The keys of what is cached, so that events can name what pages ask for without loading the code of these pages. */
export const keys = {
  me: ['me'],
  membersCount: ['members-count'],
  /** The channels the member is in, by name. */
  channels: ['channels'],
  /** A single one, also where the member is not in it. */
  channel: (id: string) => ['channel', id],
  /** Pages of channels, on the page where one browses them, and how many there are. */
  channelLists: ['channel-lists'],
  channelList: (filter: object) => ['channel-lists', filter],
  channelCounts: ['channel-counts'],
  offeredChannels: ['offered-channels'],
  /** Favorite channels, and the order of the others. */
  sidebar: ['sidebar'],
  channelMembers: (channelId: string) => ['channel-members', channelId],
  channelFaces: (channelId: string) => ['channel-faces', channelId],
  feeds: ['posts'],
  feed: (feed: Feed) => ['posts', feed],
  posts: ['post'],
  post: (id: string) => ['post', id],
  pins: ['pins'],
  pinsOf: (channelId: string) => ['pins', channelId],
  saved: ['saved'],
  /** The top-level comments of a post, and the replies to each comment, are separate lists. */
  commentsOf: (postId: string) => ['comments', postId],
  comments: (postId: string, parentId: string | null) => ['comments', postId, parentId ?? 'root'],
  threads: ['threads'],
  thread: (id: string) => ['thread', id],
  allMessages: ['messages'],
  messages: (threadId: string) => ['messages', threadId],
  message: (id: string) => ['message', id],
  /** What posts and threads are to the member. */
  postStates: ['post-state'],
  postState: (id: string) => ['post-state', id],
  threadStates: ['thread-state'],
  threadState: (id: string) => ['thread-state', id],
  unread: ['unread'],
  inboxes: ['inbox'],
  inbox: (tab: string) => ['inbox', tab],
  reactions: ['reactions'],
  reactionsTo: (id: string) => ['reactions', id],
  whoReacted: (id: string) => ['who reacted', id],
  edit: (id: string) => ['edit', id],
  files: ['files'],
  filesOf: (location: FileLocation) => ['files', location],
  filesCount: (channelId: string) => ['files', 'count', channelId],
  emoji: ['custom emoji'],
  drafts: ['drafts'],
  audiences: ['audience'],
  audience: (place: string, ids: readonly string[]) => ['audience', place, ...ids],
  members: ['members'],
  membersBy: (filter: object) => ['members', filter],
  member: (id: string) => ['member', id],
  profile: (memberId: string) => ['profile', memberId],
  /** Their list, each of them, and who is in it. */
  groups: ['groups'],
  signInLinks: ['sign-in-links'],
  signInLink: (memberId: string) => ['sign-in-links', memberId],
  inviteLinks: ['invite-links'],
  apps: ['apps'],
  hooks: ['hooks'],
  tokens: ['tokens'],
  sessions: ['sessions'],
  webhooks: ['webhooks'],
}
