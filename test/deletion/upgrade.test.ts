import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Event } from '../../src/contract/events'
import type { Running } from '../../src/server'
import { allEvents } from '../events/log'
import { newDatabase, startTestServer } from '../server'
import { type Person, tokenFor } from '../world'
import { GONE, ids, KEPT, log, makeOldDatabase } from './old-database'
import { columnsHolding } from './secrets'

describe('an upgraded database', () => {
  let server: Running
  let drop: () => Promise<void>
  let events: Event[]
  let ada: Person
  beforeAll(async () => {
    const database = await newDatabase()
    drop = database.drop
    await makeOldDatabase(database.url)
    // What its log holds is made by hand, and only as much of it as matters.
    server = await startTestServer({ DATABASE_URL: database.url }, { checkAnswers: false })
    ada = await tokenFor(server, 'home', ids.ada, ['admin'])
    events = (await allEvents(ada)).slice(0, log.length)
  })
  afterAll(async () => {
    await server.stop()
    await drop()
  })

  test('keeps every event, and marks the redacted ones', () => {
    expect(events.map(({ type, is_redacted }) => [type, is_redacted])).toEqual(
      log.map(([type, , isGone]) => [type as Event['type'], isGone]),
    )
  })

  test('contains nothing that was deleted before', async () => {
    expect(JSON.stringify(events)).not.toContain(GONE)
    expect(await columnsHolding(server, { secrets: [GONE] })).toEqual([])
  })

  test('keeps everything else', () => {
    for (const [at, [type, data, isGone]] of log.entries()) {
      if (isGone || JSON.stringify(data).includes(GONE)) continue
      expect([type, events[at]!.data]).toEqual([type, JSON.parse(JSON.stringify(data))])
    }
    const [, created] = events
    expect(created!.data).toMatchObject({ title: KEPT, content: `<p>${KEPT}</p>` })
    const resolved = events.find(({ type }) => type === 'post.resolved')!
    expect(resolved.data).toMatchObject({ title: KEPT, resolution: { resolved_html: KEPT, resolved_comment: null } })
    const [, , mentioned] = events.filter(({ type }) => type === 'app.mentioned')
    expect(mentioned!.data).toMatchObject({ subject: { title: KEPT, resolution: { resolved_comment: null } } })
    const updated = events.find(({ type }) => type === 'post.updated')!
    expect(updated.data).toMatchObject({ resolution: { resolved_comment: { id: ids.comment } } })
  })

  test('knows the records of stored responses, and empties the responses of deleted ones', async () => {
    const rows = await server.parley.engine.read((db) =>
      db.selectFrom('idempotency_keys').select(['key', 'subject_id', 'answer']).orderBy('key').execute(),
    )
    const told = rows.map(({ key, subject_id, answer }) => [key, subject_id, answer && JSON.parse(answer).id])
    expect(told).toEqual([
      ['channel', '', 'chan_general'],
      ['gone-comment', ids.goneComment, ''],
      ['gone-message', ids.goneMessage, ''],
      ['gone-post', ids.gonePost, ''],
      ['post', ids.post, ids.post],
      ['resolved', ids.post, ids.post],
      ['secret', '', null],
    ])
  })

  test('loses content that is deleted from now on', async () => {
    await ada.posts.delete({ id: ids.post })
    await ada.messages.delete({ id: ids.message })
    expect(await columnsHolding(server, { secrets: [KEPT] })).toEqual([])
  })
})
