import type { Person as Client } from '../world'
import * as m from './model'
import { draftsOf, type Reacted, savedBy } from './model-content'

const stamp = (at: number) => new Date(at).toISOString()
const MAX_IDS = 100

interface View {
  name: string
  ask(client: Client): Promise<unknown>
  expected: unknown
}

/** Reactions, pins, saved posts and drafts as a person sees them: for each view, the call and the result expected by the model. */
export function contentViewsOf(model: m.Model, who: m.Person): View[] {
  const ids = [...model.posts, ...model.comments, ...model.messages].slice(-MAX_IDS).map(({ id }) => id)
  const views: View[] = [
    ...model.channels.map((channel) => ({
      name: `pins.list of ${channel.name}`,
      ask: (client: Client) => client.pins.list({ channel_id: channel.id }),
      expected: m.seesChannel(who, channel) ? pinsOf(channel) : 'not_found',
    })),
    { name: 'saved.list', ask: (client) => client.saved.list(), expected: ofMember(saved()) },
    { name: 'drafts.list', ask: (client) => client.drafts.list(), expected: ofMember(drafts()) },
  ]
  if (ids.length === 0) return views
  const ask = async (client: Client) =>
    (await client.reactions.list({ ids })).data
      .map(({ subject_id, reactions }) => ({
        subject_id,
        reactions: reactions.map(({ emoji, count, has_reacted }) => ({ emoji, count, has_reacted })),
      }))
      .sort((one, other) => (one.subject_id < other.subject_id ? -1 : 1))
  return [...views, { name: 'reactions.list', ask, expected: reactionsOf(new Set(ids)) }]

  function ofMember(expected: unknown) {
    return who.role === 'app' ? 'forbidden' : expected
  }

  function sees(record: Reacted): boolean {
    if ('channel' in record) return m.seesPost(who, record)
    return 'thread' in record ? m.seesMessage(who, record) : !record.isEmptied && m.seesComment(who, record)
  }

  function reactionsOf(ids: ReadonlySet<string>) {
    return [...model.content.reactions]
      .filter(([record, reactions]) => reactions.size > 0 && ids.has(record.id) && sees(record))
      .map(([record, reactions]) => ({
        subject_id: record.id,
        reactions: [...reactions].map(([emoji, people]) => ({
          emoji,
          count: people.size,
          has_reacted: people.has(who),
        })),
      }))
      .sort((one, other) => (one.subject_id < other.subject_id ? -1 : 1))
  }

  function pinsOf(channel: m.Channel) {
    const pins = [...model.content.pins].filter(([post]) => post.channel === channel && m.seesPost(who, post))
    const data = pins
      .sort(([, one], [, other]) => other.at - one.at)
      .map(([post, { by, at }]) => ({ post: { id: post.id }, pinned_at: stamp(at), pinned_by: { id: by.id } }))
    return { data, total_count: pins.length }
  }

  function saved() {
    const posts = [...savedBy(model, who)].filter(([post]) => m.seesPost(who, post))
    const data = posts
      .sort(([, one], [, other]) => other - one)
      .map(([post, at]) => ({ post: { id: post.id }, saved_at: stamp(at), remind_at: null }))
    return { data: data.slice(0, 50), total_count: posts.length }
  }

  function drafts() {
    const all = [...draftsOf(model, who).values()].sort((one, other) => other.updatedAt - one.updatedAt)
    const data = all.map(({ subjectId, text, version, others }) => ({
      subject_id: subjectId,
      content_markdown: text,
      version,
      others: others.map((other) => ({ content_markdown: other })),
    }))
    return { data: data.slice(0, 50), total_count: all.length }
  }
}
