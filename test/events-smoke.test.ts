import { describe, expect, test } from 'bun:test'
import { world } from './world'
describe('events', () => {
  test('stream', async () => {
    const { ada, general, raw, root } = await world()
    const ctl = new AbortController()
    const response = await raw(ada, '/v2/events', { headers: { Accept: 'text/event-stream' }, signal: ctl.signal })
    expect(response.status).toBe(200)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const t = performance.now()
    for (let i = 0; i < 3; i++) await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch ' + i })
    let text = ''
    while ((text.match(/^id:/gm) ?? []).length < 3) text += (await reader.read()).value
    console.log(text.slice(0, 300), performance.now() - t)
    const page = await ada.events.list({ limit: 5 })
    console.log(page.data.map((e) => [e.id, e.type]), page.next_cursor, page.has_more)
    const last = (await ada.events.list({ types: ['post.created'] })).next_cursor
    const waiting = ada.events.list({ after: last, wait: 5 })
    await Bun.sleep(50)
    await root.posts.create({ channel_id: general.id, content_markdown: 'late' })
    expect((await waiting).data.map((e) => e.type)).toEqual(['post.created'])
    await root.members.update({ id: ada.id, is_deactivated: true })
    const t2 = performance.now()
    for (;;) { const { done } = await reader.read(); if (done) break }
    console.log('ended after', performance.now() - t2)
  })
})
