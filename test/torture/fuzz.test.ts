import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { grouped } from '../../bench/lib/figures'
import { openApi } from '../../src/http/openapi'
import { version } from '../../src/version'
import { entryOf, operationNames } from '../operations'
import { newRandom } from '../random-writes'
import { newMigratedDatabase, startTestServer } from '../server'
import { world } from '../world'
import { type Child, startChild, waitUntil } from './child'
import { findViolation } from './fuzz-check'
import { type Documented, documented, type OpenApi } from './fuzz-document'
import { hostileBytes, isRefusal } from './fuzz-hostile'
import { trackRecords } from './fuzz-records'
import { type Caller, type Fuzzed, requestTo } from './fuzz-requests'
import { openWire, type RawResponse, type Wire } from './fuzz-wire'
import { reportFigure } from './report'

/** PARLEY_TORTURE=long sends more, with a random seed; PARLEY_TORTURE_REQUESTS and _SEED set both. */
const isLong = process.env.PARLEY_TORTURE === 'long'
const REQUESTS = Number(process.env.PARLEY_TORTURE_REQUESTS ?? (isLong ? 300_000 : 6_000))
const SEED = Number(process.env.PARLEY_TORTURE_SEED ?? (isLong ? Date.now() % 1_000_000 : 5))
const MAX_FACTOR = 4
const CONNECTIONS = 16
/** How many requests are pipelined. */
const AT_ONCE = [...Array<number>(18).fill(1), 2, 5]
const MAX_GROWTH_MB = 200
const MAX_TRIES = 100
/** Limits of records that make every event slower. */
const MAX_RECORDS: Record<string, number> = { webhooks: 2, hooks: 10, channels: 10, apps: 10, groups: 2 }
const SLOW: readonly string[] = operationNames.filter((name) => entryOf(name).isSlow)
const UNREACHABLE: readonly string[] = operationNames.filter((name) => entryOf(name).unreachable)

let child: Child
let drop: () => Promise<void>
let operations: Documented[]
let callers: Caller[]
let protectedIds: Set<string>
let permanent: Record<string, string>
let port: number

beforeAll(async () => {
  const database = await newMigratedDatabase()
  drop = database.drop
  await prepare(database.url)
  child = await startChild(database.url, {
    // Webhooks of the test lead to this machine.
    WEBHOOK_NETWORKS: '127.0.0.0/8',
    CACHE_MB: '16',
    SECRET_KEY: 'a key of the test servers, of no use elsewhere',
  })
  await waitUntil(child.isReady)
  port = Number(new URL(child.url).port)
  operations = documented(openApi(version, 'exact') as unknown as OpenApi)
})

afterAll(async () => {
  await child?.kill()
  await drop?.()
})

/** Creates callers of every kind, admins most often; their accounts and tokens must not be deleted. */
async function prepare(url: string) {
  const server = await startTestServer({ DATABASE_URL: url }, { clock: Date.now })
  const { root, ada, vic, gus, bot, zed, general, tokenFor } = await world(server)
  const reader = await tokenFor(ada.id, ['read'])
  const manager = await tokenFor(bot.id, ['admin'])
  const expired = await tokenFor(ada.id, ['write'], new Date(Date.now() + 20_000).toISOString())
  const revoked = await root.tokens.createMine({ scopes: ['admin'] })
  await root.tokens.delete({ id: revoked.id })
  callers = [root, root, root, root, root, root, ada, ada, bot, manager, vic, gus, reader, zed, expired, revoked]
  const lists = [
    root.tokens.listMine(),
    ada.tokens.listMine(),
    zed.tokens.listMine(),
    root.apps.listTokens({ id: bot.id }),
  ]
  const tokens = (await Promise.all(lists)).flatMap(({ data }) => data)
  protectedIds = new Set([...tokens, root, ada, vic, gus, bot, zed].map(({ id }) => id))
  const webhook = await root.webhooks.create({ url: 'http://127.0.0.1:9/hook' })
  const hook = await root.hooks.create({ name: 'Grafana', channel_id: general.id })
  const post = await root.posts.create({ channel_id: general.id, content_markdown: '- [ ] Chairs\n- [x] Door' })
  const comment = await root.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
  const thread = await root.threads.create({ member_ids: [ada.id] })
  const message = await root.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
  const member = await root.members.create({ email: 'kim@example.com', display_name: 'Kim', role: 'member' })
  const group = await root.groups.create({ name: 'design' })
  await root.members.createSignInLink({ member_id: member.id })
  const made = {
    channels: general,
    groups: group,
    webhooks: webhook,
    hooks: hook,
    posts: post,
    comments: comment,
    threads: thread,
    messages: message,
    members: member,
  }
  permanent = Object.fromEntries(Object.entries(made).map(([noun, { id }]) => [noun, id]))
  await server.stop()
}

test(`${REQUESTS} requests from the document and from hostile bytes: no 5xx, no hang, each answer by the contract`, async () => {
  const known = trackRecords((id) => protectedIds.has(id), permanent)
  const seen = { requests: 0, hostile: 0, busy: 0 }
  /** Operations that have not worked, or not been refused, yet. */
  const unreached = {
    worked: new Set(operations.filter(({ name }) => !UNREACHABLE.includes(name))),
    refused: new Set(operations),
  }
  const failures: string[] = []
  const memory: number[] = []
  let number = 0
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  memory.push(memoryOf(child.pid))

  const early = memory[Math.floor(memory.length / 4)]!
  const growth = Math.max(...memory) - early
  const wrong = failures.length
  reportFigure({
    question: 'Are requests made from the document, and hostile bytes, withstood?',
    goal: 'no 5xx, no hang, every answer by the contract',
    figure: `${wrong} wrong answers to ${grouped(seen.requests)} requests and ${grouped(seen.hostile)} times hostile bytes; ${bugsIn(child)} bugs logged, ${seen.busy} told to come back later (seed ${SEED})`,
    isMet: wrong === 0 && bugsIn(child) === 0,
  })
  reportFigure({
    question: 'Does its memory stay bounded meanwhile?',
    goal: `less than ${MAX_GROWTH_MB} MB more than after the first quarter`,
    figure: `${early} MB then, ${Math.max(...memory)} MB at most, ${memory.at(-1)} MB in the end`,
    isMet: growth < MAX_GROWTH_MB,
  })
  expect(failures.join('\n\n')).toBe('')
  expect(child.output.errors.split('\n').filter((line) => line.includes('"Unexpected error"'))).toEqual([])
  expect(growth).toBeLessThan(MAX_GROWTH_MB)
  const namesOf = (operations: Iterable<Documented>) => Array.from(operations, ({ name }) => name)
  expect({ neverWorked: namesOf(unreached.worked), neverRefused: namesOf(unreached.refused) }).toEqual({
    neverWorked: [],
    neverRefused: [],
  })

  /** Sends single requests, pipelined requests and hostile bytes until enough were sent. */
  async function work() {
    let wire = await openWire(port)
    while (isUnfinished() && failures.length < 5) {
      const at = number++
      const random = newRandom((SEED * 1_000_003 + at) >>> 0)
      if (seen.requests >= memory.length * (REQUESTS / 40)) memory.push(memoryOf(child.pid))
      if (!wire.isOpen()) wire = await openWire(port)
      if (random.below(25) === 0) {
        await sendHostile(at)
        continue
      }
      const drawn = Array.from({ length: random.pick(AT_ONCE) }, () => make(random))
      const batch = drawn.some(({ isTooLong }) => isTooLong) ? drawn.slice(0, 1) : drawn
      await exchange(wire, batch, at)
    }
    wire.close()
  }

  /** Which requests work depends on those before them, so more are sent until each operation has worked. */
  function isUnfinished(): boolean {
    const sent = seen.requests + seen.hostile
    return sent < REQUESTS || (sent < MAX_FACTOR * REQUESTS && unreached.worked.size + unreached.refused.size > 0)
  }

  function make(random: ReturnType<typeof newRandom>): Fuzzed {
    const missing = [...unreached.worked, ...unreached.refused]
    const isOverdue = seen.requests > REQUESTS / 2 && missing.length > 0 && random.below(4) === 0
    const first = random.pick(isOverdue ? missing : operations)
    const drawn = SLOW.includes(first.name) && random.below(10) > 0 ? random.pick(operations) : first
    const isPlain = isOverdue && unreached.worked.has(drawn)
    const caller = isPlain ? callers[0]! : random.pick(callers)
    const chosen = isPlain && random.below(2) === 0 ? preparationFor(drawn) : drawn
    const operation = chosen.path.includes('webhooks') ? keepWebhooks(caller, chosen) : chosen
    return requestTo(limitRecords(operation), caller, known, random, isPlain)
  }

  /** Creates or lists what an operation acts on: none may be known, or none in the right state. */
  function preparationFor(operation: Documented): Documented {
    const collection = operation.path.split('/').slice(0, 3).join('/')
    const on = operations.filter(({ path }) => path === collection)
    return on.find(({ method }) => method === 'POST') ?? on.find(({ method }) => method === 'GET') ?? operation
  }

  /** Deletes a record instead of creating one if the limit is reached. */
  function limitRecords(operation: Documented): Documented {
    const [, , noun, ...rest] = operation.path.split('/')
    if (operation.method !== 'POST' || rest.length > 0 || known.ids(noun!).length < (MAX_RECORDS[noun!] ?? 1e9))
      return operation
    return operations.find(({ method, path }) => method === 'DELETE' && path === `/v2/${noun}/{id}`)!
  }

  async function exchange(wire: Wire, batch: Fuzzed[], at: number) {
    try {
      const { answers, isClosed } = await asked(wire, batch)
      for (const [nth, response] of answers.entries()) if (!isBusy(response)) checkResponse(batch[nth]!, response, at)
      if (answers.some(endsConnection)) wire.close()
      // Bun does not support pipelining: it may close the connection.
      const isUnanswered = batch.length === 1 && answers.length === 0 && isClosed
      if (isUnanswered && !isUnknownMethod(batch[0]!.method))
        fail(batch[0]!, at, 'The connection was closed without an answer')
      if (batch.length === 1 && answers.some(isBusy)) fail(batch[0]!, at, 'The server stayed busy')
    } catch (error) {
      fail(batch[0]!, at, String(error))
      wire.close()
    }
  }

  /** Retries a single request while the server is busy. */
  async function asked(wire: Wire, batch: Fuzzed[]) {
    const bytes = Buffer.concat(batch.map((each) => each.bytes))
    const bodyless = batch.map(({ isBodyless }) => isBodyless)
    let exchanged = await wire.ask(bytes, bodyless)
    for (let left = MAX_TRIES; left > 0 && batch.length === 1 && exchanged.answers.some(isBusy); left--) {
      seen.busy += 1
      await Bun.sleep(100)
      exchanged = await wire.ask(bytes, bodyless)
    }
    return exchanged
  }

  function checkResponse(request: Fuzzed, response: RawResponse, at: number) {
    seen.requests += 1
    const wrong = findViolation(request, response)
    if (wrong) return fail(request, at, wrong, response)
    if (!request.matchesOperation) return
    unreached[response.status < 400 ? 'worked' : 'refused'].delete(request.operation)
    const [, address = ''] = request.bytes.toString('latin1', 0, 500).split(' ')
    known.learn(request.operation, address, response)
  }

  async function sendHostile(at: number) {
    const bytes = hostileBytes(callers[0]!.token, newRandom(SEED + at))
    seen.hostile += 1
    const wire = await openWire(port)
    try {
      const { answers } = await wire.sendAndClose(bytes)
      const odd = answers.find((response) => response.status >= 300 && !isRefusal(response.status) && !isBusy(response))
      if (odd) failures.push(`seed ${SEED}, number ${at}: ${odd.status} to ${shown(bytes)}`)
    } catch (error) {
      failures.push(`seed ${SEED}, number ${at}: ${error} after ${shown(bytes)}`)
    }
    wire.close()
  }

  function fail({ bytes, operation }: Fuzzed, at: number, wrong: string, response?: RawResponse) {
    const answer = response
      ? `${response.status} ${inspect(response.headers)} ${response.body.slice(0, 1_000)}`
      : 'no answer'
    failures.push(`seed ${SEED}, number ${at}, ${operation.name}: ${wrong}\n${shown(bytes)}\n→ ${answer}`)
  }
}, 3_600_000)

/** The caller of the other workspace only lists webhooks, since nothing would delete the ones it creates. */
const keepWebhooks = (caller: Caller, operation: Documented) =>
  caller === callers.at(-3) ? operations.find(({ name }) => name === 'webhooks.list')! : operation

/** Responses after which the connection cannot be used again. */
const endsConnection = ({ headers, status }: RawResponse) =>
  headers.get('connection') === 'close' ||
  headers.get('content-type') === 'text/event-stream' ||
  status === 413 ||
  status === 431

/** An overloaded server refuses the request before it does anything. */
const isBusy = ({ status, headers }: RawResponse) => status === 503 && headers.has('retry-after')

/** Methods that Bun does not know: it closes the connection. */
const isUnknownMethod = (method: string) => ['PURGE', 'PROPFIND'].includes(method)

const shown = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1', 0, 3_000))

const bugsIn = ({ output }: Child) => output.errors.split('"Unexpected error"').length - 1

/** Resident memory in megabytes; without mapped files if the system reports that. */
function memoryOf(pid: number): number {
  const status = `/proc/${pid}/status`
  const anonymous = existsSync(status) && readFileSync(status, 'utf8').match(/^RssAnon:\s+(\d+)/m)?.[1]
  const resident = anonymous || Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(pid)]).stdout.toString()
  return Math.round(Number(resident) / 1024)
}
