import type { InboxEntry } from '../inbox'
import { isCustomEmojiName } from './constants'

/** What a sentence about an entry is made of. */
export type Told = Pick<InboxEntry, 'reason' | 'others_count' | 'group' | 'emoji' | 'item_id' | 'item_is_own'> & {
  subject: Pick<InboxEntry['subject'], 'type' | 'title' | 'is_own'>
  actor: Pick<NonNullable<InboxEntry['actor']>, 'name'> | null
}

/**
 * What an entry of the inbox says, in the web app, in mails, in pushes and to agents: who, “and 2 others”, and what they did. A
 * reminder has nobody.
 */
export function describeEntry(entry: Told): { who: string; others: string; did: string } {
  const { reason, actor, others_count } = entry
  if (reason === 'reminder') return { who: '', others: '', did: 'Reminder' }
  return { who: actor?.name ?? 'Someone', others: describeOthers(others_count), did: deeds[reason](entry) }
}

/** The same as one text. Names of apps can be those of members, so they are marked. */
export function sentenceOf(entry: Told, who = describeEntry(entry).who): string {
  const { others, did } = describeEntry(entry)
  return [who, others, did].filter(Boolean).join(' ')
}

const describeOthers = (count: number): string =>
  count === 0 ? '' : count === 1 ? 'and 1 other' : `and ${count > 99 ? '99+' : count} others`

/** “your post”, or what else something was done to. */
const the = ({ subject: { is_own } }: Told) => (is_own ? 'your post' : 'the post')

const deeds: Record<Exclude<InboxEntry['reason'], 'reminder'>, (entry: Told) => string> = {
  mention: () => 'mentioned you',
  group_mention: ({ group }) => (group ? `mentioned @${group.name}` : 'mentioned a group you are in'),
  channel_mention: () => 'mentioned @channel',
  here_mention: () => 'mentioned @here',
  reply: ({ subject }) => `replied to your ${subject.type === 'post' ? 'comment' : 'message'}`,
  comment: (entry) => `commented on ${the(entry)}`,
  post: () => 'posted',
  resolved: (entry) =>
    entry.item_id && entry.item_is_own ? `resolved ${the(entry)} with your answer` : `resolved ${the(entry)}`,
  reopened: (entry) => `reopened ${the(entry)}`,
  thread: () => 'started a thread with you',
  message: ({ others_count }) => (others_count > 0 ? 'sent messages' : 'sent a message'),
  added: ({ subject }) => `added you to ${subject.type === 'channel' ? `#${subject.title}` : 'a thread'}`,
  reaction: ({ emoji, subject, item_id }) =>
    `reacted ${emoji === null ? '' : `${emojiText(emoji)} `}to your ${nameOfItem(subject.type, item_id)}`,
}

const nameOfItem = (type: InboxEntry['subject']['type'], itemId: string | null) =>
  type === 'thread' ? 'message' : itemId ? 'comment' : 'post'

/** A custom emoji is shown by its name where there is no picture. */
const emojiText = (emoji: string) => (isCustomEmojiName(emoji) ? `:${emoji}:` : emoji)
