import { type DatasetName, getDataset } from './lib/dataset'
import { grouped } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { startParley } from './lib/servers'
import { type Engine, engines, isQuick, size } from './lib/settings'
import { getJson, getText } from './lib/urls'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const sorts = ['created_at', 'last_seen_at']
const PASSES = isQuick ? 1 : 3
const perKind = isQuick ? 2 : 26

interface Case {
  name: DatasetName
  members: number
  /** Milliseconds of CPU time that any query may take. */
  max?: number
}

interface Query {
  kind: string
  sort: string
  url: string
}

/** Member search with queries of every kind: the CPU time of each one, the least of several fresh processes. */
export async function benchMembers() {
  const rows: string[][] = []
  for (const each of [
    { name: 'people', members: size.manyMembers, max: 60 },
    ...(isQuick ? [] : [{ name: 'small', members: size.members } as const]),
  ] satisfies Case[])
    for (const engine of engines) rows.push(...(await benchSize(each, engine)))
  addSection(
    'Member search',
    `CPU time of one query in milliseconds, that of PostgreSQL included: each in ${PASSES} fresh processes after ${perKind * 4} other searches, the least
of them. Mean and worst of ${perKind} queries of each kind, half of them sorted by \`created_at\`, half by \`last_seen_at\`.`,
    ['members', 'engine', 'query', 'created: mean', 'worst', 'last seen: mean', 'worst'],
    rows,
  )
}

async function benchSize({ name, members, max }: Case, engine: Engine): Promise<string[][]> {
  const data = await getDataset(name, engine)
  const least = new Map<string, number>()
  let queries: Query[] = []
  for (let pass = 0; pass < PASSES; pass++) {
    const server = await startParley(data)
    const cpu = () => server.cpu() + server.databaseCpu()
    const names = await getNames(server.port, data.token)
    queries = makeQueries(names)
    await warmUp(server.port, data.token, names)
    for (const { url } of queries) {
      const spent = cpu()
      await getText(server.port, data.token, url)
      least.set(url, Math.min(least.get(url) ?? Number.POSITIVE_INFINITY, (cpu() - spent) * 1_000))
    }
    await server.stop()
  }
  const worst = Math.max(...least.values())
  const title = `Member search among ${grouped(members)}, worst query`
  addResult({ name: title, engine, value: worst, unit: 'ms', goal: max ? { max } : undefined, isHeadline: true })
  return [...Map.groupBy(queries, ({ kind }) => kind)].map(([kind, some]) => [
    grouped(members),
    engine,
    kind,
    ...sorts.flatMap((sort) => {
      const times = some.filter((query) => query.sort === sort).map(({ url }) => least.get(url)!)
      const mean = times.reduce((sum, time) => sum + time, 0) / times.length
      return [mean.toFixed(2), Math.max(...times).toFixed(2)]
    }),
  ])
}

/** Queries that are not measured, of which every second one has matches. They compile what the measured ones run. */
async function warmUp(port: number, token: string, names: readonly string[]) {
  for (let number = 0; number < perKind * 4; number++) {
    const name = names[number % names.length]!
    const text = number % 2 === 0 ? `warm${number}` : name.slice(0, 1 + (number % 5))
    const sort = sorts[number % 4 < 2 ? 0 : 1]
    await getText(port, token, `/v2/members?sort=${sort}&limit=10&q=${encodeURIComponent(text)}`)
  }
}

async function getNames(port: number, token: string): Promise<string[]> {
  const { data } = await getJson<{ data: { user: { display_name: string } }[] }>(port, token, '/v2/members?limit=50')
  return [...new Set(data.map(({ user }) => user.display_name))]
}

/** Different ones of each kind, so that none is answered from a cache. */
function makeQueries(names: readonly string[]): Query[] {
  const parts = names.flatMap((name) => name.split(' '))
  const isAscii = (text: string) => /^[\x20-\x7e]+$/.test(text)
  const kinds: Record<string, string[]> = {
    'one letter': LETTERS,
    'two letters': LETTERS.map((letter, at) => letter + LETTERS[(at * 7) % 26]),
    'a given or family name': [...new Set(parts.filter(isAscii))],
    'a whole name': names.filter(isAscii),
    'not ASCII': [...new Set(parts.filter((part) => !isAscii(part)))],
    'one character, not ASCII': [...new Set(parts.join('').match(/[^\x20-\x7e]/g))],
    'the end of every address': LETTERS.map((_, at) => '@example.com'.slice(0, 12 - (at % 11))),
    'no match': LETTERS.map((letter) => `${letter}qqzx`),
    'long text': LETTERS.map((letter) => letter.repeat(200)),
  }
  return Object.entries(kinds).flatMap(([kind, texts]) =>
    texts.slice(0, perKind).map((text, at) => {
      const sort = sorts[at % 2]!
      return { kind, sort, url: `/v2/members?sort=${sort}&limit=${50 - at}&q=${encodeURIComponent(text)}` }
    }),
  )
}
