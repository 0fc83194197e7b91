import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Problem } from '../src/contract/errors'
import type { Running } from '../src/server'
import { prepare, type Writer } from '../src/store/engines/db'
import { expectConsistent } from './consistency'
import { expectRefused } from './expectations'
import { parseMetrics } from './metrics'
import { startTestServer, statementsOf } from './server'
import { type World, world } from './world'

let server: Running
beforeAll(async () => {
  // A test may have a transaction wait until all its requests have arrived.
  const [connectMs, beginMs, checkMs] = [30_000, 60_000, 30_000]
  const patient = { connectMs, beginMs, checkMs, statementMs: 60_000, lockMs: 60_000, idleTransactionMs: 60_000 }
  server = await startTestServer({}, { deadlines: patient })
  // The statements of the writes are counted, and nothing else.
  await server.inboxFiller()!.close()
  // Their writes would come between writes that share a transaction.
  await server.searchIndexing()!.close()
  await server.dispatcher()!.close()
})
afterAll(async () => {
  await expectConsistent(server)
  await server.stop()
})

const clearSlug = prepare((db, param) =>
  db
    .updateTable('workspaces')
    .set({ slug: null as never })
    .where('key', '=', param<number>('key')),
)

/** Sends requests while another write of the workspace holds the lock, so that they share a transaction. */
async function sendTogether(cast: World, ...requests: (() => Promise<unknown>)[]) {
  const { engine } = cast.server.parley
  const lock = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const lockWorkspace = () => {
    started.resolve()
    return lock.promise
  }
  const locked = engine.write(lockWorkspace, { workspaceKey: cast.workspaceKey })
  await started.promise
  const answers: Promise<unknown>[] = []
  for (const request of requests) {
    const answer = request()
    answer.catch(() => {})
    answers.push(answer)
    while (engine.usage().waiting.commit! < answers.length) await Bun.sleep(1)
  }
  statementsOf(server).length = 0
  lock.resolve()
  await locked
  return Promise.allSettled(answers)
}

const codes = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'ok' : outcome.reason.code))

const count = (pattern: RegExp) => statementsOf(server).filter((sql) => pattern.test(sql)).length

/** The number of commits so far that more writes than this shared: a power of 2, as the metric counts. */
async function countCommitsOfMoreThan(writes: 1 | 2) {
  const { samples } = parseMetrics(await (await fetch(`${server.url}/metrics`)).text()).get(
    'parley_database_group_size',
  )!
  const countUpTo = (bound: string) => samples.get(`parley_database_group_size_bucket{le="${bound}"}`) ?? 0
  return countUpTo('+Inf') - countUpTo(`${writes}`)
}

async function expectNoGaps(cast: World) {
  const rows = await cast.logRows()
  expect(rows.map(({ revision }) => revision)).toEqual(rows.map((_, at) => rows[0]!.revision + at))
}

async function worldWithPost() {
  const cast = await world(server)
  const { id } = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch?' })
  // All last-seen times are set, so nothing is written besides what the test writes.
  for (const who of [cast.root, cast.ada, cast.bob]) await who.me.get()
  await server.parley.presence.settled()
  return { ...cast, post_id: id }
}

const comment = (cast: World & { post_id: string }, who: 'ada' | 'bob' | 'root', content_markdown: string) => () =>
  cast[who].comments.create({ post_id: cast.post_id, content_markdown })

describe('concurrent writes', () => {
  test('share a commit, the lock of the workspace and the look-up of their tokens', async () => {
    const cast = await worldWithPost()
    const before = await countCommitsOfMoreThan(2)
    const outcomes = await sendTogether(
      cast,
      ...(['ada', 'bob', 'root', 'ada'] as const).map((who, at) => comment(cast, who, `Yes ${at}`)),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(await countCommitsOfMoreThan(2)).toBe(before + 1)
    expect(count(/^select "revision" from "workspaces"/)).toBe(1)
    expect(count(/from "tokens" as "t"/)).toBe(1)
    const { data } = await cast.ada.comments.list({ post_id: cast.post_id })
    expect(data.map(({ content }) => content)).toEqual([0, 1, 2, 3].map((at) => `<p>Yes ${at}</p>`))
    await expectNoGaps(cast)
  })

  test('look up their posts together, and update the workspace once', async () => {
    const cast = await worldWithPost()
    await sendTogether(cast, ...(['ada', 'bob', 'root'] as const).map((who) => comment(cast, who, 'Yes')))
    const log = statementsOf(server).filter((sql) => /^(insert|update)|from "posts"/.test(sql))
    expect(log.slice(0, 3).every((sql) => sql.includes('from "posts"'))).toBe(true)
    expect(log.slice(3).some((sql) => sql.includes('from "posts"'))).toBe(false)
    expect(count(/^update "workspaces" set "revision"/)).toBe(1)
    expect((await cast.ada.posts.get({ id: cast.post_id })).comments_count).toBe(3)
    await expectNoGaps(cast)
  })

  test('are refused if an earlier write deleted or closed what they add to', async () => {
    const cast = await worldWithPost()
    const archived = await cast.root.channels.create({ name: 'old' })
    const { id } = await cast.root.posts.create({ channel_id: archived.id, content_markdown: 'Old' })
    const outcomes = await sendTogether(
      cast,
      comment(cast, 'ada', 'First'),
      () => cast.bob.comments.create({ post_id: id, content_markdown: 'Second' }),
      () => cast.root.channels.delete({ id: archived.id }),
      () => cast.bob.comments.create({ post_id: id, content_markdown: 'Third' }),
      () => cast.ada.posts.delete({ id: cast.post_id }),
      comment(cast, 'bob', 'Fourth'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'ok', 'not_found', 'ok', 'not_found'])
    await expectNoGaps(cast)
  })

  test('are in the log in order, whatever they write', async () => {
    const cast = await worldWithPost()
    const before = (await cast.eventRows()).at(-1)!.revision
    await sendTogether(
      cast,
      comment(cast, 'ada', 'First'),
      () => cast.root.channels.create({ name: 'new' }),
      comment(cast, 'bob', 'Second'),
    )
    const rows = (await cast.eventRows()).filter(({ revision }) => revision > before)
    expect(rows.map(({ type }) => type)).toEqual(['comment.created', 'channel.created', 'comment.created'])
    await expectNoGaps(cast)
  })

  test('do not affect others if they are refused', async () => {
    const cast = await worldWithPost()
    const before = await countCommitsOfMoreThan(1)
    const outcomes = await sendTogether(
      cast,
      comment(cast, 'ada', 'First'),
      () => cast.ada.comments.create({ post_id: 'post_00000000000000000000000000', content_markdown: 'No' }),
      () => cast.bob.posts.update({ id: cast.post_id, content_markdown: 'No' }),
      comment(cast, 'bob', 'Second'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'not_found', 'forbidden', 'ok'])
    expect(await countCommitsOfMoreThan(1)).toBe(before + 1)
    await expectNoGaps(cast)
  })

  const failures: Record<string, (db: Writer, key: number) => Promise<unknown>> = {
    'after they changed something': async (db, key) => {
      await db.updateTable('workspaces').set({ name: 'Broken' }).where('key', '=', key).execute()
      throw new Problem('forbidden', 'Refused on purpose')
    },
    'by a statement that is not waited for': (db, key) => clearSlug(db, [], { key }),
  }
  for (const [name, fail] of Object.entries(failures))
    test(`do not affect others if they fail ${name}`, async () => {
      const cast = await worldWithPost()
      const { workspaceKey } = cast
      const outcomes = await sendTogether(
        cast,
        comment(cast, 'ada', 'First'),
        () => server.parley.engine.write((db) => fail(db, workspaceKey), { workspaceKey }),
        comment(cast, 'bob', 'Second'),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await cast.events()).toEqual(['post.created', 'comment.created', 'comment.created'])
      expect((await cast.ada.posts.get({ id: cast.post_id })).comments_count).toBe(2)
      await expectNoGaps(cast)
    })

  test('see changes of permissions by earlier writes', async () => {
    const cast = await worldWithPost()
    const outcomes = await sendTogether(
      cast,
      comment(cast, 'ada', 'First'),
      () => cast.root.members.update({ id: cast.ada.id, role: 'viewer' }),
      comment(cast, 'ada', 'Second'),
      () => cast.root.members.update({ id: cast.bob.id, is_deactivated: true }),
      comment(cast, 'bob', 'Third'),
      comment(cast, 'root', 'Fourth'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'forbidden', 'ok', 'unauthenticated', 'ok'])
    await expectNoGaps(cast)
  })

  test('are refused if an earlier write removed the caller from the channel', async () => {
    const cast = await worldWithPost()
    const { id: channel_id } = await cast.root.channels.create({ name: 'private', private: true })
    await cast.root.channels.addMember({ channel_id, member_id: cast.bob.id })
    const { id: post_id } = await cast.root.posts.create({ channel_id, content_markdown: 'Between us' })
    const write = () => cast.bob.comments.create({ post_id, content_markdown: 'Hm' })
    const outcomes = await sendTogether(
      cast,
      write,
      () => cast.root.channels.removeMember({ channel_id, member_id: cast.bob.id }),
      write,
      comment(cast, 'bob', 'Elsewhere'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'not_found', 'ok'])
    expect((await cast.root.posts.get({ id: post_id })).comments_count).toBe(1)
    await expectNoGaps(cast)
  })

  test('replay an earlier answer, but not once its content was deleted in between', async () => {
    const cast = await worldWithPost()
    const write = () =>
      cast.bob.comments.create({ post_id: cast.post_id, content_markdown: 'Once' }, { idempotencyKey: 'once' })
    const { id } = await write()
    const outcomes = await sendTogether(cast, comment(cast, 'ada', 'First'), write, comment(cast, 'root', 'Second'))
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'ok'])
    expect((outcomes[1] as PromiseFulfilledResult<{ id: string }>).value.id).toBe(id)
    expect((await cast.ada.posts.get({ id: cast.post_id })).comments_count).toBe(3)

    const later = await sendTogether(cast, comment(cast, 'ada', 'Third'), () => cast.bob.comments.delete({ id }), write)
    expect(codes(later)).toEqual(['ok', 'ok', 'not_found'])
    await expectNoGaps(cast)
  })

  test('cannot remove the last admin', async () => {
    const cast = await worldWithPost()
    await cast.root.members.update({ id: cast.ada.id, role: 'admin' })
    const outcomes = await sendTogether(
      cast,
      () => cast.root.members.update({ id: cast.root.id, role: 'member' }),
      () => cast.ada.members.update({ id: cast.ada.id, role: 'member' }),
    )
    expect(codes(outcomes)[0]).toBe('ok')
    expect(codes(outcomes)[1]).not.toBe('ok')
    expect((await cast.ada.me.get()).role).toBe('admin')
  })

  test('redact events of earlier writes', async () => {
    const cast = await worldWithPost()
    const { id } = await cast.ada.comments.create({ post_id: cast.post_id, content_markdown: 'A secret' })
    const outcomes = await sendTogether(
      cast,
      () => cast.ada.comments.update({ id, content_markdown: 'Another secret' }),
      () => cast.ada.comments.delete({ id }),
      comment(cast, 'bob', 'Hm'),
    )
    expect(codes(outcomes)).toEqual(['ok', 'ok', 'ok'])
    expect(JSON.stringify(await cast.eventRows())).not.toContain('secret')
    await expectRefused(cast.ada.comments.get({ id }), 'not_found')
  })
})

test('writes of different workspaces run concurrently', async () => {
  const [cast, other] = [await worldWithPost(), await worldWithPost()]
  if (server.parley.engine.kind === 'sqlite') return
  const lock = Promise.withResolvers<void>()
  const origin = { workspaceKey: cast.workspaceKey }
  const locked = server.parley.engine.write(() => lock.promise, origin)
  const waiting = comment(cast, 'ada', 'Later')()
  await comment(other, 'ada', 'At once')()
  expect(await cast.events()).toEqual(['post.created'])
  lock.resolve()
  await Promise.all([locked, waiting])
})

test('a write that fails after it changed something leaves nothing, and the writes beside it are kept', async () => {
  const { engine } = server.parley
  const note = (subject: string, error?: Error) =>
    engine.write(async (db) => {
      await db.insertInto('sign_in_attempts').values({ subject, attempts: 1, started_at: 1 }).execute()
      if (error) throw error
    })
  const outcomes = await Promise.allSettled([note('kept'), note('undone', new Error('Refused')), note('kept, too')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const rows = await engine.read((db) =>
    db.selectFrom('sign_in_attempts').select('subject').orderBy('subject').execute(),
  )
  expect(rows.map(({ subject }) => subject)).toEqual(['kept', 'kept, too'])
})
