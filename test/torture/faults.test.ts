import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ParleyError } from '../../src/client'
import type { OperationName } from '../../src/contract'
import type { Running } from '../../src/server'
import { deedNames, deeds, diceFrom, type Things, thingsOf } from '../deeds'
import { expectNoDisagreement } from '../recount'
import { bugs, startTestServer } from '../server'
import { type Person, type World, world } from '../world'

const MOST_STATEMENTS = 60

/** Throws at the n-th statement from now on, once. */
const fault = { in: Number.POSITIVE_INFINITY, error: () => new Error('Broken on purpose'), hits: 0 }

function onStatement() {
  fault.in -= 1
  if (fault.in !== 0) return
  fault.hits += 1
  throw fault.error()
}

/** The worst an engine says about a statement: a full disk, or a connection that is gone. */
const lostDatabase = () =>
  Object.assign(new Error('lost'), { code: server.parley.engine.kind === 'sqlite' ? 'SQLITE_IOERR' : 'ECONNRESET' })

let server: Running
beforeAll(async () => {
  server = await startTestServer({}, { onStatement })
})
afterAll(() => server.stop())

/** One thing of each kind that the deed can be done to, so that it would succeed. */
async function furnished(): Promise<{ place: World; things: Things }> {
  const place = await world(server)
  const things = thingsOf(place)
  const { root, ada, bob, general } = place
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
  await ada.posts.resolve({ post_id: post.id, comment_id: comment.id })
  const thread = await root.threads.create({ member_ids: [ada.id] })
  const message = await root.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
  const token = await root.tokens.createMine({ scopes: ['read'] })
  await root.channels.addMember({ channel_id: general.id, member_id: bob.id })
  Object.assign(things, { posts: [post.id], comments: [comment.id], threads: [thread.id], messages: [message.id] })
  Object.assign(things, { members: [bob.id], tokens: [token.id], apps: things.apps })
  await server.parley.presence.settled()
  return { place, things }
}

/** The first seed with which this deed is done, not refused, so that every try is the same one. */
async function workingSeed(deed: OperationName): Promise<number> {
  for (let seed = 0; seed < 50; seed++) {
    const { place, things } = await furnished()
    const refused = await attempt(deed, place.root, things, seed)
    if (!refused && (await place.events()).length > EVENTS_OF_FURNITURE) return seed
  }
  throw new Error(`${deed} never works here.`)
}
const EVENTS_OF_FURNITURE = 7

async function attempt(
  deed: OperationName,
  who: Person,
  things: Things,
  seed: number,
): Promise<ParleyError | undefined> {
  try {
    await deeds[deed]!(who, things, diceFrom(seed))
  } catch (error) {
    if (error instanceof ParleyError) return error
    throw error
  }
}

/** Does it with a fault at the first, second, third … statement, until none is hit; each time all or nothing. */
async function breakEverywhere(deed: OperationName, error: () => Error, status: number) {
  const seed = await workingSeed(deed)
  let broken = 0
  for (let at = 1; ; at++) {
    expect(at).toBeLessThan(MOST_STATEMENTS)
    const { place, things } = await furnished()
    const before = (await place.events()).length
    Object.assign(fault, { in: at, error, hits: 0 })
    const refused = await attempt(deed, place.root, things, seed)
    const wasHit = fault.hits > 0
    fault.in = Number.POSITIVE_INFINITY
    if (!wasHit) break

    broken += 1
    const logged = bugs.splice(0)
    if (refused) {
      expect([at, refused.status]).toEqual([at, status])
      expect(refused.detail).not.toMatch(/on purpose|lost|select|update|insert/i)
      if (status === 503)
        expect([logged, refused.headers.get('retry-after')]).toEqual([[], expect.stringMatching(/^\d+$/)])
      else expect(logged).toHaveLength(1)
    }
    const happened = (await place.events()).length - before
    expect([at, happened > 0]).toEqual([at, !refused])
    expect(await attempt(deed, place.root, things, seed)).toEqual(refused ? undefined : expect.anything())
  }
  expect(broken).toBeGreaterThan(3)
  await expectNoDisagreement(server)
}

describe('whichever statement breaks, a write happens wholly or not at all', () => {
  for (const deed of deedNames)
    test(deed, () => breakEverywhere(deed, () => new Error('Broken on purpose'), 500), 60_000)
})

describe('whichever statement loses the database, the answer is 503 and the next try works', () => {
  for (const deed of ['posts.create', 'comments.create', 'posts.resolve', 'channels.update', 'members.create'] as const)
    test(deed, () => breakEverywhere(deed, lostDatabase, 503), 60_000)
})
