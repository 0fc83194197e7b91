import { copyDataset, type Dataset, type DatasetName } from './lib/dataset'
import { addEntries, addFollowers, addToInboxes } from './lib/entries'
import { grouped } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { isQuick } from './lib/settings'

const FEW = 1_000
const MANY = isQuick ? 2_000 : 1_000_000
const FOLLOWERS = isQuick ? 20 : 1_000
const ROUNDS = isQuick ? 2 : 7
const READS = isQuick ? 5 : 40
const COMMENTS = isQuick ? 5 : 40
const MAX_READ_RATIO = 1.25
const MAX_COMMENT_RATIO = 1.3
/** Of these each measurement needs a database of its own. */
const SOME_ENTRIES = 200
const MANY_ENTRIES = isQuick ? 400 : 200_000
const MANY_INBOXES = isQuick ? 100 : 90_000
const FRESH_ROUNDS = isQuick ? 1 : 3
const MAX_CHANGE_RATIO = 1.5

const reads = { 'a page of the inbox': '/v2/inbox?limit=50', 'unread counts': '/v2/unread' }

/** What large inboxes and many followers cost, on SQLite. */
export async function benchAttention() {
  const rows = [...(await compareReads()), await compareComments(), await compareMarks(), await compareDeletions()]
  addSection(
    'Attention',
    `On SQLite, in one workspace each: the inbox of a member with ${grouped(FEW)} and with ${grouped(MANY)} entries, and a comment on a post with
0 and with ${grouped(FOLLOWERS)} followers, until its author has the answer. Everything is marked as read with ${grouped(SOME_ENTRIES)} and with
${grouped(MANY_ENTRIES)} unread entries; a post is deleted that is in ${grouped(SOME_ENTRIES)} and in ${grouped(MANY_INBOXES)} inboxes. Milliseconds, each the
least of several rounds in turn.`,
    ['', 'few', 'many', 'ratio'],
    rows,
  )
}

async function compareReads(): Promise<string[][]> {
  const data = [await copyDataset('small', 'SQLite'), await copyDataset('small', 'SQLite')] as const
  addEntries(data[0], FEW)
  addEntries(data[1], MANY)
  const servers = [await startParley(data[0]), await startParley(data[1])] as const
  try {
    const rows: string[][] = []
    for (const [what, url] of Object.entries(reads)) {
      const [few, many] = await inTurn((at) =>
        timesOf(
          READS,
          () => request(servers[at], data[at].memberToken, url),
          (number) => touch(servers[at], data[at], number),
        ),
      )
      rows.push(report(what, `${grouped(MANY)} entries relative to ${grouped(FEW)}`, few, many, MAX_READ_RATIO))
    }
    return rows
  } finally {
    for (const server of servers) await server.stop()
    for (const each of data) await each.remove()
  }
}

async function compareComments(): Promise<string[]> {
  const data = await copyDataset('small', 'SQLite')
  const posts = data.urls.posts.slice(0, 2) as [string, string]
  addFollowers(data, posts[1].split('/').at(-1)!, FOLLOWERS)
  const server = await startParley(data)
  const body = JSON.stringify({ content_markdown: 'I can take this one.' })
  try {
    const [few, many] = await inTurn((at) =>
      timesOf(COMMENTS, () => request(server, data.token, `${posts[at]}/comments`, { method: 'POST', body })),
    )
    return report('a comment', `${grouped(FOLLOWERS)} followers relative to none`, few, many, MAX_COMMENT_RATIO)
  } finally {
    await server.stop()
    await data.remove()
  }
}

async function compareMarks(): Promise<string[]> {
  const [few, many] = await inFreshDatabases(
    'small',
    (data, at) => addEntries(data, at === 0 ? SOME_ENTRIES : MANY_ENTRIES),
    (server, { memberToken }) => request(server, memberToken, '/v2/reads', { method: 'PUT' }),
  )
  const sizes = `${grouped(MANY_ENTRIES)} entries relative to ${grouped(SOME_ENTRIES)}`
  return report('marking everything as read', sizes, few, many, MAX_CHANGE_RATIO)
}

async function compareDeletions(): Promise<string[]> {
  const postOf = ({ urls }: Dataset) => urls.posts[0]!
  const [few, many] = await inFreshDatabases(
    'people',
    (data, at) => addToInboxes(data, postOf(data).split('/').at(-1)!, at === 0 ? SOME_ENTRIES : MANY_INBOXES),
    (server, data) => request(server, data.memberToken, postOf(data), { method: 'DELETE' }),
  )
  const sizes = `in ${grouped(MANY_INBOXES)} inboxes relative to ${grouped(SOME_ENTRIES)}`
  return report('deleting a post', sizes, few, many, MAX_CHANGE_RATIO)
}

/** The least time of a change that can be made once in a database, for both cases. */
async function inFreshDatabases(
  name: DatasetName,
  prepare: (data: Dataset, at: 0 | 1) => void,
  change: (server: Server, data: Dataset) => Promise<void>,
): Promise<[number, number]> {
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < FRESH_ROUNDS; round++)
    for (const at of [0, 1] as const) {
      const data = await copyDataset(name, 'SQLite')
      prepare(data, at)
      const server = await startParley(data)
      try {
        // Warms up what is not measured.
        for (let times = 0; times < READS; times++) await touch(server, data, times)
        const started = performance.now()
        await change(server, data)
        least[at] = Math.min(least[at], performance.now() - started)
      } finally {
        await server.stop()
        await data.remove()
      }
    }
  return least
}

/** Changes something before each read, so that none is answered from memory. */
const touch = (server: Server, { memberToken, fixtures }: Dataset, number: number) =>
  request(server, memberToken, `/v2/follows/${fixtures.channel}`, {
    method: 'PUT',
    body: JSON.stringify({ level: number % 2 ? 'all' : 'mentions' }),
  })

/** The least of the medians of all rounds, for both cases. The first round warms up. */
async function inTurn(measure: (at: 0 | 1) => Promise<number>): Promise<[number, number]> {
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round <= ROUNDS; round++)
    for (const at of [0, 1] as const) {
      const time = await measure(at)
      if (round > 0) least[at] = Math.min(least[at], time)
    }
  return least
}

/** The median of some requests, one after the other. */
async function timesOf(
  count: number,
  ask: () => Promise<void>,
  prepare?: (number: number) => Promise<void>,
): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < count; number++) {
    await prepare?.(number)
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[Math.floor(count / 2)]!
}

async function request({ port }: Server, token: string, path: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
}

function report(what: string, name: string, few: number, many: number, max: number): string[] {
  const ratio = many / few
  addResult({
    name: `Attention: ${what}, ${name}`,
    engine: 'SQLite' satisfies Dataset['engine'],
    value: ratio,
    goal: { max },
  })
  return [what, few.toFixed(2), many.toFixed(2), ratio.toFixed(2)]
}
