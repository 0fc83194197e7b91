import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { onCore } from '../../bench/lib/cores'
import { ApiError, type Client, createClient } from '../client'
import { parley } from '../command'
import { problem } from '../http/wire'
import { engineUnderTest, newMigratedDatabase } from '../server'
import { type Child, startChild, waitUntil } from './child'
import type { FloodResult } from './flood'
import { startGenerator } from './generator'
import { rawGet, rawPost } from './raw-requests'
import { reportFigure } from './report'

/** PARLEY_TORTURE=long: a minute of it. */
const isLong = process.env.PARLEY_TORTURE === 'long'
const SECONDS = isLong ? { warmUp: 5, capacity: 10, flood: 60 } : { warmUp: 1, capacity: 1, flood: 4 }
const CONNECTIONS = 2_000
/** Requests are refused after a second of overload, and after the transaction that is then running. */
const MAX_SECONDS_UNTIL_REFUSED = 60
/** The number of connections with the highest throughput: as many as share a commit, or as keep the pool busy. */
const AT_ONCE = engineUnderTest === 'sqlite' ? 256 : 64

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

describe('ten times the capacity', () => {
  test('is refused quickly and in bounded memory; throughput stays, and the server recovers', async () => {
    const { child, client, requests } = await startSeededServer()
    const port = Number(new URL(child.url).port)
    const generator = await startGenerator()
    endings.push(generator.stop)
    const calm = { port, requests, connections: AT_ONCE }
    await generator.flood({ ...calm, seconds: SECONDS.warmUp })
    const before = await generator.flood({ ...calm, seconds: SECONDS.capacity })

    const watch = startWatching(child, client)
    const perSecond = Math.max(10 * rateOf(before), 2_000)
    const flooded = await generator.flood({
      ...{ port, requests, perSecond, connections: CONNECTIONS },
      seconds: SECONDS.flood,
      secondsUntilRefused: MAX_SECONDS_UNTIL_REFUSED,
    })
    const seen = await watch.stop()
    const over = performance.now()
    await waitUntil(() => canReadAndWrite(client))
    const recovery = (performance.now() - over) / 1000
    const after = await generator.flood({ ...calm, seconds: SECONDS.capacity })

    report({ before, after, flooded, recovery, ...seen })
    for (const result of [before, flooded, after])
      expect(Object.keys(result.answers).filter((status) => !['200', '201', '503'].includes(status))).toEqual([])
    expect(flooded.answers[503] ?? 0).toBeGreaterThan(0)
    expect(flooded.broken).toBe(0)
    expect(rateOf(flooded)).toBeGreaterThan(0)
    expect(seen.health).toEqual(new Set([200]))
    expect(child.output.errors).not.toMatch(/Unexpected error/)
    // It is logged a second later.
    await waitUntil(() => /Overloaded: refused requests/.test(child.output.errors))
    expect(seen.peak - seen.first).toBeLessThan(600)
  }, 300_000)

  interface Results {
    before: FloodResult
    after: FloodResult
    flooded: FloodResult
    recovery: number
    first: number
    peak: number
  }

  function report({ before, after, flooded, recovery, first, peak }: Results) {
    const capacity = (rateOf(before) + rateOf(after)) / 2
    const share = rateOf(flooded) / capacity
    const unsent = Math.round((100 * flooded.unsent) / flooded.arrived)
    const offered = `${Math.round(flooded.arrived / flooded.seconds)}/s offered over ${CONNECTIONS} connections, ${unsent} % of it while all of them waited for an answer`
    reportFigure({
      question: 'How much is done of ten times more than it can do?',
      goal: '> 80 % of capacity',
      figure: `${Math.round(share * 100)} %: ${Math.round(rateOf(flooded))}/s of ${Math.round(capacity)}/s; ${offered}`,
      isMet: share > 0.8,
      tried:
        'refusing before anything is looked up, refusing slowly, ending the line once it stands; other work on the machine lowers it',
    })
    const [half, most] = flooded.refused.map(Math.round) as [number, number]
    reportFigure({
      question: 'How soon are the others refused?',
      goal: '99 of 100 within 2 s',
      figure: `half within ${half} ms, 99 of 100 within ${most} ms; those done within ${Math.round(flooded.done[1])} ms`,
      isMet: most < 2_000,
      tried: 'ending the line after a second, for those in it, too; other work on the machine raises it',
    })
    reportFigure({
      question: 'How much memory does that take?',
      goal: '< 400 MB more',
      figure: `${Math.round(first)} MB before, ${Math.round(peak)} MB at most`,
      isMet: peak - first < 400,
    })
    reportFigure({
      question: 'How soon is it itself again?',
      goal: 'within 5 s',
      figure: `${recovery.toFixed(2)} s`,
      isMet: recovery < 5,
    })
  }
})

const rateOf = ({ answers, seconds }: FloodResult) => ((answers[200] ?? 0) + (answers[201] ?? 0)) / seconds

/** Starts a server with seeded content, and returns it with typical reads and writes. */
async function startSeededServer() {
  const database = await newMigratedDatabase()
  endings.push(database.drop)
  const child = await startChild(database.url, {}, onCore(0, []))
  endings.push(child.kill)
  const token = await child.firstToken()
  await waitUntil(child.isReady)
  const seeded = await parley(['seed', '--posts', '1000', '--members', '200'], { DATABASE_URL: database.url })
  expect(seeded.code).toBe(0)
  const client = createClient({ baseUrl: child.url, token })
  const channel_id = (await client.channels.list()).data[0]!.id

  const get = (path: string) => rawGet(token, path)
  const post = (path: string, body: object) => rawPost(token, path, body)
  const requests: string[] = []
  for (let after = '', turn = 0; turn < 12; turn++) {
    const page = await client.posts.list({ limit: 50, ...(after && { after }) })
    const post_id = page.data[0]!.id
    requests.push(
      get(`/v2/posts?limit=50${after && `&after=${after}`}`),
      get(`/v2/posts/${post_id}/comments`),
      get(`/v2/members?q=${'abcdefghijklmnopqrst'[turn]}a`),
      post('/v2/posts', { channel_id, content_markdown: `Post **${turn}** of the flood` }),
      post(`/v2/posts/${post_id}/comments`, { content_markdown: `Comment *${turn}* of the flood` }),
    )
    after = page.next_cursor ?? ''
  }
  return { child, client, requests }
}

/** During the flood, checks the health endpoint and refusals, and measures memory. */
function startWatching(child: Child, client: Client) {
  const memory = () => Number(readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]) * 4096e-6
  const canCount = process.platform === 'linux'
  const seen = { health: new Set<number>(), first: canCount ? memory() : 0, peak: 0 }
  let isOver = false
  const polling = (async () => {
    while (!isOver) {
      seen.health.add((await fetch(`${child.url}/healthz`)).status)
      const answer = await fetch(`${child.url}/v2/posts/post_00000000000000000000000000`)
      if (answer.status === 503) {
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
        await problem(answer, 'unavailable')
      }
      await client.channels.create({ name: crypto.randomUUID() }).catch((error) => {
        if (error.code !== 'unavailable') throw error
      })
      if (canCount) seen.peak = Math.max(seen.peak, memory())
      await Bun.sleep(50)
    }
  })()
  return {
    async stop() {
      isOver = true
      await polling
      return seen
    },
  }
}

async function canReadAndWrite(client: Client): Promise<boolean> {
  try {
    await client.posts.list()
    await client.channels.create({ name: crypto.randomUUID() })
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    return false
  }
}
