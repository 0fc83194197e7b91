import { describe, expect, test } from 'bun:test'
import { describeEntry, sentenceOf, type Told } from '../../src/contract/browser/inbox-sentence'
import { inboxReasons } from '../../src/contract/inbox'

const told = (entry: Partial<Omit<Told, 'subject'>> & { subject?: Partial<Told['subject']> }): Told => ({
  reason: 'comment',
  others_count: 0,
  group: null,
  emoji: null,
  item_id: null,
  item_is_own: false,
  actor: { name: 'Ada' },
  ...entry,
  subject: { type: 'post', title: 'Lunch', is_own: false, ...entry.subject },
})

const own = { is_own: true }
const thread = { type: 'thread' } as const

describe('an entry of the inbox says', () => {
  const sentences: [string, Parameters<typeof told>[0]][] = [
    ['Ada mentioned you', { reason: 'mention' }],
    ['Ada mentioned @design', { reason: 'group_mention', group: { id: 'group_1', name: 'design' } }],
    ['Ada mentioned a group you are in', { reason: 'group_mention' }],
    ['Ada mentioned @channel', { reason: 'channel_mention' }],
    ['Ada mentioned @here', { reason: 'here_mention' }],
    ['Ada commented on the post', {}],
    ['Ada commented on your post', { subject: own }],
    ['Ada and 1 other commented on your post', { subject: own, others_count: 1 }],
    ['Ada and 2 others commented on the post', { others_count: 2 }],
    ['Ada and 99+ others commented on the post', { others_count: 100 }],
    ['Ada replied to your comment', { reason: 'reply', item_id: 'cmt_1' }],
    ['Ada replied to your message', { reason: 'reply', subject: thread }],
    ['Ada posted', { reason: 'post' }],
    ['Ada resolved your post', { reason: 'resolved', subject: own }],
    ['Ada resolved the post', { reason: 'resolved', item_id: 'cmt_1' }],
    ['Ada resolved the post with your answer', { reason: 'resolved', item_id: 'cmt_1', item_is_own: true }],
    ['Ada reopened your post', { reason: 'reopened', subject: own }],
    ['Ada started a thread with you', { reason: 'thread', subject: thread }],
    ['Ada sent a message', { reason: 'message', subject: thread }],
    ['Ada and 3 others sent messages', { reason: 'message', subject: thread, others_count: 3 }],
    ['Ada added you to #general', { reason: 'added', subject: { type: 'channel', title: 'general' } }],
    ['Ada added you to a thread', { reason: 'added', subject: thread }],
    ['Ada reacted 👍 to your post', { reason: 'reaction', emoji: '👍', subject: own }],
    [
      'Ada and 2 others reacted 👍 to your comment',
      { reason: 'reaction', emoji: '👍', item_id: 'cmt_1', others_count: 2 },
    ],
    ['Ada reacted :party-parrot: to your message', { reason: 'reaction', emoji: 'party-parrot', subject: thread }],
    ['Someone mentioned you', { reason: 'mention', actor: null }],
    ['Reminder', { reason: 'reminder', actor: null }],
  ]

  for (const [sentence, entry] of sentences)
    test(sentence, () => {
      expect(sentenceOf(told(entry))).toBe(sentence)
    })

  test('something for every reason', () => {
    for (const reason of inboxReasons) expect(describeEntry(told({ reason })).did).not.toBe('')
    expect(new Set(sentences.map(([, { reason = 'comment' }]) => reason))).toEqual(new Set(inboxReasons))
  })
})
