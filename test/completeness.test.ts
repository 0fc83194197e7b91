import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contract, nounTitle, operations } from '../src/contract'
import { eventTypes } from '../src/contract/event-types'
import { eventDefinitions } from '../src/contract/events'
import { eventTable } from '../src/domain/events/table'
import { wordsInEvents } from '../src/store/changes/dependants'

const read = (path: string) => readFileSync(`${import.meta.dir}/../${path}`, 'utf8')
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Places that a new noun or event has to be added to, and that the compiler does not ask for. */
describe('nothing was forgotten', () => {
  test('every noun of the contract has tests of its own', () => {
    const without = Object.keys(contract).filter(
      (noun) => !['.test.ts', '', '/'].some((suffix) => existsSync(`${import.meta.dir}/${kebab(noun)}${suffix}`)),
    )
    expect(without).toEqual([])
  })

  test('every event type is described in docs/events.md', () => {
    const rows = read('docs/events.md')
      .match(/^\| `[^|]*/gm)!
      .join(' ')
    const described = new Set([...rows.matchAll(/`([a-z_.]+)`/g)].map((match) => match[1]!))
    expect(eventTypes.filter((type) => !described.has(type))).toEqual([])
  })

  test('what people write about a post, comment or message leaves its events when that is deleted', () => {
    const removed = wordsInEvents.map(({ path }) => path.join('.'))
    const isRemoved = (path: string) => removed.some((each) => path === each || path.startsWith(`${each}.`))
    const kept = eventTypes
      .map((type) => ({ type, ...wordsIn(eventDefinitions[type].data), content: eventTable[type].content }))
      .filter(({ isAboutRecord, content }) => isAboutRecord || content !== null)
      .flatMap(({ type, words, content }) =>
        words.filter((path) => content === null || !isRemoved(path)).map((path) => `${type}: ${path}`),
      )
    expect(kept).toEqual([])
  })

  test('what its events have instead is described in docs/events.md', () => {
    const [, section] = read('docs/events.md').match(/### Deleted content\n([\s\S]*?)\n#/)!
    const missing = wordsInEvents
      .filter(({ path: [first] }) => first !== 'subject')
      .map(({ path, to }) => `\`${path.join('.')}: ${JSON.stringify(to)}\``)
      .filter((line) => !section!.includes(line))
    expect(missing).toEqual([])
  })

  test('every list has a case in plans.test.ts, or need not have one', () => {
    const plans = read('test/plans.test.ts')
    const lists = Object.entries(operations).filter(([, { query }]) => query?.properties.limit !== undefined)
    const without = lists.map(([name]) => name).filter((name) => !plans.includes(`.${name}(`))
    expect(lists.length).toBeGreaterThan(15)
    expect(without.filter((name) => !(name in listsWithoutPlan))).toEqual([])
  })

  test('every file is imported by another, but for those that programs and pages begin with', () => {
    const imported = new Set(
      sources.flatMap(({ file, text }) =>
        [...text.matchAll(/['"](\.{1,2}(?:\/[\w.-]+)*)['"]/g)]
          .map(([, path]) => join(dirname(file), path!))
          .flatMap((path) => [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`]),
      ),
    )
    const beginnings = ['src/start.ts', 'src/web/main.tsx', 'src/web/first-paint/first-paint.ts']
    const others = sources.map(({ file }) => file).filter((file) => !imported.has(file) && !beginnings.includes(file))
    expect(others).toEqual([])
  })

  test('everything that the data of the web app exports is used by it', () => {
    const inWeb = sources.filter(({ file }) => file.startsWith('src/web/'))
    const uses = new Map<string, number>()
    for (const [word] of inWeb.flatMap(({ text }) => [...text.matchAll(/\w+/g)]))
      uses.set(word, (uses.get(word) ?? 0) + 1)
    const exported = inWeb
      .filter(({ file }) => file.startsWith('src/web/data/'))
      .flatMap(({ text }) => [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)])
      .map(([, name]) => name!)
    expect(exported.length).toBeGreaterThan(200)
    expect(exported.filter((name) => uses.get(name)! < 2)).toEqual([])
  })

  test('every noun of the contract is mentioned in the changelog', () => {
    const changelog = read('CHANGELOG.md').toLowerCase()
    const missing = Object.keys(contract).filter((noun) => !changelog.includes(nounTitle(noun).toLowerCase()))
    expect(missing).toEqual([])
  })
})

const sources = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(`${import.meta.dir}/..`)]
  .filter((file) => !file.endsWith('.d.ts'))
  .map((file) => ({ file, text: read(file) }))

/** Why the plan of a list is not looked at. */
const listsWithoutPlan: Record<string, string> = {
  'events.list': 'a range of the primary key',
  'sessions.list': 'a member has few',
  'signInLinks.list': 'a workspace has few',
  'inviteLinks.list': 'a workspace has at most a hundred',
  'tokens.listMine': 'a member has few',
  'apps.list': 'a workspace has few',
  'apps.listTokens': 'an app has few',
  'webhooks.list': 'a workspace has few',
  'webhooks.deliveries': 'ranges of the index deliveries_of_webhook',
  'hooks.list': 'a workspace has few',
}

interface EventShape {
  type?: string
  enum?: unknown
  format?: string
  anyOf?: EventShape[]
  items?: EventShape
  properties?: Record<string, EventShape>
}

/** The fields of an event that people can write, but for those of people and channels; and whether it names a post, comment or message. */
function wordsIn(data: unknown): { words: string[]; isAboutRecord: boolean } {
  const names = Object.keys((data as EventShape).properties ?? {})
  return {
    words: [...new Set(textsIn(data as EventShape, []))],
    isAboutRecord: names.some((name) => /^(?:post|comment|message|subject)_id$/.test(name)),
  }
}

function textsIn({ type, enum: values, format, anyOf, items, properties }: EventShape, path: string[]): string[] {
  const name = path.at(-1) ?? ''
  if (/^(?:author|channel|app|resolved_by|id|url)$|_(?:id|type)$/.test(name)) return []
  if (anyOf) return anyOf.flatMap((each) => textsIn(each, path))
  if (items) return textsIn(items, path)
  if (properties) return Object.entries(properties).flatMap(([field, each]) => textsIn(each, [...path, field]))
  return type === 'string' && !values && !format ? [path.join('.')] : []
}
