import Type from 'typebox'
import { contract } from '../../contract'
import { excerptOf } from '../../contract/browser/excerpt'
import { sentenceOf } from '../../contract/browser/inbox-sentence'
import type { EventType } from '../../contract/event-types'
import type { Event } from '../../contract/events'
import { InboxAbout } from '../../contract/inbox'
import { describePage, lean, postLine, quote, quoteName, toExcerpt, when } from '../text'
import { describe, PAGE_SIZE, pageFields, pageOf, paging, recordsOf, tool } from '../tool'

export const inbox = tool({
  name: 'inbox',
  title: 'Read your inbox',
  description: 'What needs your attention, latest first: mentions, activity in what you follow, and more.',
  input: {
    unread: describe(contract.inbox.list.query.properties.unread, 'Only unread or only read ones.'),
    about: Type.Optional(Type.Array(describe(InboxAbout))),
    ...paging,
  },
  output: { entries: recordsOf('about', 'excerpt'), ...pageFields },
  isForMembers: true,
  async run(api, { limit = PAGE_SIZE, ...query }) {
    const page = await api.call('inbox.list', { limit, ...query })
    const entries = page.data.map((entry) => {
      const { subject, about, actor, excerpt, new_count, last_activity_at, is_unread } = entry
      const title = quoteName(subject.title)
      const said = sentenceOf(
        { ...entry, subject: { ...subject, title } },
        actor ? quoteName(actor.name) : 'The operator',
      )
      const more = new_count > 0 ? `; ${new_count} new` : ''
      return [
        `- ${is_unread ? '(unread) ' : ''}${title} (${subject.id}), ${about}: ${said}, ${when(last_activity_at)}${more}`,
        ...(excerpt ? [quote(excerpt)] : []),
      ].join('\n')
    })
    return {
      text: [describePage(page, entries.length, 'entry', 'entries'), ...entries].join('\n\n'),
      data: { entries: lean(page.data), ...pageOf(page) },
    }
  },
})

/** The events for agents, without the ones that only administrators and the web app need. */
const NEWS = [
  ...(['post.created', 'post.updated', 'post.deleted', 'post.resolved', 'post.unresolved'] as const),
  ...(['comment.created', 'comment.updated', 'comment.deleted', 'thread.created', 'message.created'] as const),
  ...(['message.updated', 'message.deleted', 'channel.created', 'channel.updated', 'channel.deleted'] as const),
  ...(['member.created', 'member.deactivated', 'app.mentioned'] as const),
] as const satisfies EventType[]

const RECENT_POSTS = 10

export const whatsNew = tool({
  name: 'whats_new',
  title: 'See what happened',
  description:
    'What happened since the last call: send its `next_cursor` as `after`. Without `after`: the posts that were active last, and a cursor to start from.',
  input: { after: Type.Optional(Type.String()), limit: paging.limit },
  output: {
    events: recordsOf('type', 'timestamp'),
    posts: recordsOf('title', 'url', 'excerpt'),
    next_cursor: { type: 'string' },
    has_more: { type: 'boolean' },
  },
  async run(api, { after, limit }) {
    const log = await api.call('events.list', { after: after ?? 'now', limit: limit ?? PAGE_SIZE, types: [...NEWS] })
    const isFirst = after === undefined
    const recent = isFirst
      ? await api.call('posts.list', { sort: 'last_activity_at', limit: limit ?? RECENT_POSTS })
      : undefined
    const posts = recent?.data.map(toExcerpt) ?? []
    const events = log.data.map((event) => ({ ...lean(event), data: leanData(event.data) }))
    const more = log.has_more ? 'There is more: call again' : 'Later, call again'
    const text = [
      ...(isFirst ? ['The posts that were active last:', ...posts.map(postLine)] : []),
      ...(!isFirst && events.length === 0 ? ['Nothing has happened since.'] : log.data.map(eventText)),
      `${more} with after="${log.next_cursor}".`,
    ]
    return {
      text: text.join('\n\n'),
      data: { events, posts, next_cursor: log.next_cursor, has_more: log.has_more },
    }
  },
})

/** What an event is about: one of these, with the fields that it has. */
interface Subject {
  id: string
  title?: string
  name?: string
  user?: { display_name: string }
  content?: string
  channel?: { name: string }
  subject_id?: string
  thread_id?: string
  parent_id?: string | null
}

type EventRecord = Subject | { app: { name: string }; subject: Subject }

function leanData(data: Event['data']): object {
  const about = data as EventRecord
  return 'subject' in about ? { ...lean(about), subject: leanSubject(about.subject) } : leanSubject(about)
}

const leanSubject = ({ content, ...subject }: Subject): object =>
  content === undefined ? lean(subject) : { ...lean(subject), excerpt: excerptOf(content) }

function eventText({ type, timestamp, actor, via, data }: Event): string {
  const about = data as EventRecord
  const isMention = 'subject' in about
  const { id, content, channel, subject_id, thread_id, parent_id, ...subject } = isMention ? about.subject : about
  const name = subject.title ?? subject.name ?? subject.user?.display_name
  const what = [
    isMention && `${quoteName(about.app.name)} in`,
    id,
    name && quoteName(name),
    channel && `in #${quoteName(channel.name)}`,
    subject_id && `on ${subject_id}`,
    thread_id && `in ${thread_id}`,
    parent_id && `in reply to ${parent_id}`,
  ]
  const who = `${actor ? quoteName(actor.name) : 'The operator'}${via ? ` via ${quoteName(via.name)}` : ''}`
  const excerpt = content ? `\n${quote(excerptOf(content))}` : ''
  return `- ${when(timestamp)} ${type} by ${who}: ${what.filter(Boolean).join(' ')}${excerpt}`
}
