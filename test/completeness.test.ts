import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contract, operations } from '../src/contract'
import { eventTypes } from '../src/contract/event-types'
import { memberSearchEvents } from '../src/domain/events/effects'
import { nounTitle } from '../src/site/nouns'

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

  test('the index for member searches holds the events they depend on', () => {
    const [, types] = read('src/store/schema/migrations/011-stored-fields.ts').match(/WHERE type IN\s*\(([^)]*)\)/)!
    expect([...types!.matchAll(/'([^']+)'/g)].map((match) => match[1]!).sort()).toEqual([...memberSearchEvents].sort())
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
  'tokens.listMine': 'a member has few',
  'apps.list': 'a workspace has few',
  'apps.listTokens': 'an app has few',
  'webhooks.list': 'a workspace has few',
  'webhooks.deliveries': 'ranges of the index deliveries_of_webhook',
  'hooks.list': 'a workspace has few',
}
