import { describe, expect, test } from 'bun:test'
import { Compile } from 'typebox/compile'
import type { Comment } from '../../src/contract/comments'
import { Event, eventDefinitions } from '../../src/contract/events'
import { followLog } from '../events/following'
import { allEvents, emptied, endOfLog } from '../events/log'
import { world } from '../world'
import { cases, columnsHolding, eventsHolding, found } from './secrets'

const fits = Object.fromEntries(Object.entries(eventDefinitions).map(([type, { data }]) => [type, Compile(data)]))
const isEvent = Compile(Event)

for (const [name, make] of Object.entries(cases))
  describe(`${name}, once deleted`, () => {
    test('is in no event; its events keep their revisions', async () => {
      const cast = await world()
      const made = await make(cast)
      const before = await allEvents(cast.ada)
      expect((await eventsHolding(cast.ada, made)).map(({ type }): string => type)).toEqual(made.types)
      await made.remove()

      const after = await allEvents(cast.ada)
      expect(found(JSON.stringify(after), made)).toEqual([])
      const withoutData = ({ data: _, is_redacted: __, ...rest }: Event) => rest
      expect(after.slice(0, before.length).map(withoutData)).toEqual(before.map(withoutData))
      for (const event of after)
        expect([event.type, isEvent.Check(event), fits[event.type]!.Check(event.data)]).toEqual([
          event.type,
          true,
          true,
        ])
    })

    test('is marked as redacted in its events only', async () => {
      const cast = await world()
      const made = await make(cast)
      await made.remove()
      for (const event of await allEvents(cast.ada)) {
        const { id, subject, subject_id } = event.data as Partial<Comment & { subject: Comment }>
        const about = [id, subject?.id, subject_id, subject?.subject_id]
        const isAbout = made.id.startsWith('post_') ? about.includes(made.id) : about.slice(0, 2).includes(made.id)
        expect([event.type, event.is_redacted]).toEqual([event.type, isAbout])
      }
    })

    test('is not in a stream that resumes before it', async () => {
      const cast = await world()
      const after = await endOfLog(cast.ada)
      const made = await make(cast)
      // Inboxes are filled some time later.
      await cast.fillInboxes()
      // One who follows has it all in memory.
      const live = await followLog(cast.ada, { lastEventId: after })
      await live.until(({ type }) => type === made.types.at(-1))
      await made.remove()
      await live.until(({ type }) => type.endsWith('.deleted'))
      const resumed = await followLog(cast.ada, { lastEventId: after })
      await resumed.until(({ type }) => type.endsWith('.deleted'))
      expect(found(live.text(), made)).toEqual(made.secrets)
      expect(found(resumed.text(), made)).toEqual([])
      expect(resumed.events).toEqual(await allEvents(cast.ada, after))
      for (const stream of [live, resumed]) stream.close()
    })

    test('is in no column of any table', async () => {
      const cast = await world()
      await cast.root.webhooks.create({ url: 'http://127.0.0.1:9/' })
      const made = await make(cast)
      expect(await columnsHolding(cast.server, made)).toContain('events.data')
      await made.remove()
      expect(await columnsHolding(cast.server, made)).toEqual([])
    })
  })

describe('an event whose record was deleted', () => {
  test('of a post has no title, content and resolution', async () => {
    const { ada, general } = await world()
    const after = await endOfLog(ada)
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const resolved = await ada.posts.resolve({ post_id: post.id, content_markdown: 'Noon' })
    await ada.posts.delete({ id: post.id })
    const events = (await allEvents(ada, after)).map(({ type, is_redacted, data }) => ({ type, is_redacted, data }))
    expect(events).toEqual([
      { type: 'post.created', is_redacted: true, data: emptied(post) },
      { type: 'post.resolved', is_redacted: true, data: emptied(resolved) },
      { type: 'post.deleted', is_redacted: true, data: emptied(resolved) },
    ])
  })

  test('of a post loses a deleted comment in its resolution', async () => {
    const { ada, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    const other = await ada.comments.create({ post_id: post.id, content_markdown: `Not ${comment.id}` })
    await ada.posts.resolve({ post_id: post.id, comment_id: other.id })
    const resolved = await ada.posts.resolve({ post_id: post.id, comment_id: comment.id, content_markdown: 'Good' })
    await ada.comments.delete({ id: comment.id })
    const [first, second] = (await allEvents(ada)).filter(({ type }) => type === 'post.resolved')
    expect(first).toMatchObject({ is_redacted: false, data: { resolution: { resolved_comment: { id: other.id } } } })
    const without = { ...resolved, resolution: { ...resolved.resolution, resolved_comment: null } }
    expect(second).toMatchObject({ is_redacted: false, data: without })
  })

  test('of a comment with replies says that it is kept, and later that it is gone', async () => {
    const { ada, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'When?' })
    const reply = await ada.comments.create({ post_id: post.id, content_markdown: 'Noon', parent_id: comment.id })
    const after = await endOfLog(ada)
    await ada.comments.delete({ id: comment.id })
    await ada.comments.delete({ id: reply.id })
    const told = (await allEvents(ada, after)).map(({ type, data, is_redacted }) => [type, data, is_redacted])
    expect(told).toEqual([
      ['comment.deleted', { ...emptied(comment), replies_count: 1 }, true],
      ['comment.deleted', emptied(reply), true],
      ['comment.deleted', emptied(comment), true],
    ])
  })

  test('of an existing record keeps its content at that time', async () => {
    const { ada, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'First' })
    await ada.posts.update({ id: post.id, content_markdown: 'Second' })
    const [created, updated] = (await allEvents(ada)).slice(-2)
    expect(created).toMatchObject({ is_redacted: false, data: { content: '<p>First</p>' } })
    expect(updated).toMatchObject({ is_redacted: false, data: { content: '<p>Second</p>' } })
  })

  test('of a post in an archived channel is visible again afterwards', async () => {
    const { ada, root } = await world()
    const channel = await root.channels.create({ name: 'plans' })
    const post = await ada.posts.create({ channel_id: channel.id, content_markdown: 'Lunch?' })
    const after = (await allEvents(ada)).at(-2)!.id
    await root.channels.delete({ id: channel.id })
    expect((await allEvents(ada, after)).map(({ type }) => type)).toEqual(['channel.deleted'])
    await root.channels.update({ id: channel.id, archived: false })
    const [created, ...rest] = await allEvents(ada, after)
    expect(created).toMatchObject({ type: 'post.created', is_redacted: false, data: post })
    expect(rest.map(({ type }) => type)).toEqual(['channel.deleted', 'channel.updated'])
  })

  test('of other records in the channel is unchanged', async () => {
    const cast = await world()
    const kept = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Kept' })
    const comment = await cast.ada.comments.create({ post_id: kept.id, content_markdown: 'Kept too' })
    const before = await allEvents(cast.ada)
    for (const make of Object.values(cases)) await (await make(cast)).remove()
    expect((await allEvents(cast.ada)).slice(0, before.length)).toEqual(before)
    expect(await cast.ada.comments.get({ id: comment.id })).toEqual(comment)
  })
})
