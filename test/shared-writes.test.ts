import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Problem } from '../src/contract/errors'
import type { Running } from '../src/server'
import type { Writer } from '../src/store/db'
import { refused } from './expectations'
import { expectNoDisagreement } from './recount'
import { startTestServer, statements } from './server'
import { type World, world } from './world'

let server: Running
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  await expectNoDisagreement(server)
  await server.stop()
})

/** Sends requests while another write of the workspace holds the lock, so that they share a transaction. */
async function together(place: World, ...requests: (() => Promise<unknown>)[]) {
  const { engine } = place.server.parley
  const held = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const hold = () => {
    started.resolve()
    return held.promise
  }
  const holding = engine.write(hold, { workspaceKey: place.workspaceKey, tokenHash: '' })
  await started.promise
  const answers: Promise<unknown>[] = []
  for (const request of requests) {
    const answer = request()
    answer.catch(() => {})
    answers.push(answer)
    while (engine.usage().waiting.commit! < answers.length) await Bun.sleep(1)
  }
  statements.log.length = 0
  held.resolve()
  await holding
  return Promise.allSettled(answers)
}

const codes = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'ok' : outcome.reason.code))

const count = (pattern: RegExp) => statements.log.filter((sql) => pattern.test(sql)).length

async function expectNoGap(place: World) {
  const rows = await place.eventRows()
  expect(rows.map(({ revision }) => revision)).toEqual(rows.map((_, at) => rows[0]!.revision + at))
}

async function worldWithPost() {
  const place = await world(server)
  const { id } = await place.ada.posts.create({ channel_id: place.general.id, content_markdown: 'Lunch?' })
  // All last-seen times are set, so nothing is written besides what the test writes.
  for (const who of [place.root, place.ada, place.bob]) await who.me.get()
  await server.parley.presence.settled()
  return { ...place, post_id: id }
}

const comment = (place: World & { post_id: string }, who: 'ada' | 'bob' | 'root', content_markdown: string) => () =>
  place[who].comments.create({ post_id: place.post_id, content_markdown })

describe('concurrent writes', () => {
  test('share a commit, the lock of the workspace and the look-up of their tokens', async () => {
    const place = await worldWithPost()
    const outcomes = await together(
      place,
      ...(['ada', 'bob', 'root', 'ada'] as const).map((who, at) => comment(place, who, `Yes ${at}`)),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'ok', 'ok'])
    // The transaction they waited for, and their own.
    expect(count(/^COMMIT/)).toBe(2)
    expect(count(/^select "revision" from "workspaces"/)).toBe(1)
    expect(count(/from "tokens" as "t"/)).toBe(1)
    const { data } = await place.ada.comments.list({ post_id: place.post_id })
    expect(data.map(({ content }) => content)).toEqual([0, 1, 2, 3].map((at) => `<p>Yes ${at}</p>`))
    await expectNoGap(place)
  })

  test('do not affect others if they are refused', async () => {
    const place = await worldWithPost()
    const outcomes = await together(
      place,
      comment(place, 'ada', 'First'),
      () => place.ada.comments.create({ post_id: 'post_00000000000000000000000000', content_markdown: 'No' }),
      () => place.bob.posts.update({ id: place.post_id, content_markdown: 'No' }),
      comment(place, 'bob', 'Second'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'not_found', 'forbidden', 'ok'])
    expect(count(/^COMMIT/)).toBe(2)
    await expectNoGap(place)
  })

  const failures: Record<string, (db: Writer, key: number) => Promise<unknown>> = {
    'after they changed something': async (db, key) => {
      await db.updateTable('workspaces').set({ name: 'Broken' }).where('key', '=', key).execute()
      throw new Problem('forbidden', 'Refused on purpose')
    },
    'by a statement that is not waited for': (db, key) =>
      db.prepared(
        'test.wrong',
        (slot) =>
          db
            .updateTable('workspaces')
            .set({ slug: null as never })
            .where('key', '=', slot<number>('key')),
        { key },
      ),
  }
  for (const [name, fail] of Object.entries(failures))
    test(`do not affect others if they fail ${name}`, async () => {
      const place = await worldWithPost()
      const { workspaceKey } = place
      const outcomes = await together(
        place,
        comment(place, 'ada', 'First'),
        () => server.parley.engine.write((db) => fail(db, workspaceKey), { workspaceKey, tokenHash: '' }),
        comment(place, 'bob', 'Second'),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await place.events()).toEqual(['post.created', 'comment.created', 'comment.created'])
      expect((await place.ada.posts.get({ id: place.post_id })).comments_count).toBe(2)
      await expectNoGap(place)
    })

  test('see changes of permissions by earlier writes', async () => {
    const place = await worldWithPost()
    const outcomes = await together(
      place,
      comment(place, 'ada', 'First'),
      () => place.root.members.update({ id: place.ada.id, role: 'viewer' }),
      comment(place, 'ada', 'Second'),
      () => place.root.members.update({ id: place.bob.id, is_deactivated: true }),
      comment(place, 'bob', 'Third'),
      comment(place, 'root', 'Fourth'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'forbidden', 'ok', 'unauthenticated', 'ok'])
    await expectNoGap(place)
  })

  test('cannot remove the last admin', async () => {
    const place = await worldWithPost()
    await place.root.members.update({ id: place.ada.id, role: 'admin' })
    const outcomes = await together(
      place,
      () => place.root.members.update({ id: place.root.id, role: 'member' }),
      () => place.ada.members.update({ id: place.ada.id, role: 'member' }),
    )
    expect(codes(outcomes)[0]).toBe('ok')
    expect(codes(outcomes)[1]).not.toBe('ok')
    expect((await place.ada.me.get()).role).toBe('admin')
  })

  test('redact events of earlier writes', async () => {
    const place = await worldWithPost()
    const { id } = await place.ada.comments.create({ post_id: place.post_id, content_markdown: 'A secret' })
    const outcomes = await together(
      place,
      () => place.ada.comments.update({ id, content_markdown: 'Another secret' }),
      () => place.ada.comments.delete({ id }),
      comment(place, 'bob', 'Hm'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'ok'])
    expect(JSON.stringify(await place.eventRows())).not.toContain('secret')
    await refused(place.ada.comments.get({ id }), 'not_found')
  })
})

test('writes of different workspaces run concurrently', async () => {
  const [place, other] = [await worldWithPost(), await worldWithPost()]
  if (server.parley.engine.kind === 'sqlite') return
  const held = Promise.withResolvers<void>()
  const origin = { workspaceKey: place.workspaceKey, tokenHash: '' }
  const holding = server.parley.engine.write(() => held.promise, origin)
  const waiting = comment(place, 'ada', 'Later')()
  await comment(other, 'ada', 'At once')()
  expect(await place.events()).toEqual(['post.created'])
  held.resolve()
  await Promise.all([holding, waiting])
})
