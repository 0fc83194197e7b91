import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { contract } from '../src/contract'
import { eventTypes } from '../src/contract/event-types'
import { memberSearchEvents } from '../src/domain/events/effects'

const read = (path: string) => readFileSync(`${import.meta.dir}/../${path}`, 'utf8')
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Places that a new noun, event or counter has to be added to, and that the compiler does not ask for. */
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

  test('every counter column is checked by the doctor', () => {
    const schema = readdirSync(`${import.meta.dir}/../src/store/schema`)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(`src/store/schema/${file}`))
    const tables = [...schema.join('\n').matchAll(/interface (\w+)Table \{(.*?)\n\}/gs)]
    const counters = tables.flatMap(([, , columns]) =>
      [...columns!.matchAll(/^ {2}(\w+_count):/gm)].map((match) => match[1]!),
    )
    expect(counters.length).toBeGreaterThan(10)
    // The counters of webhooks are checked by the test of their queue; attempts belong to one row; reactions have a check of their own.
    const elsewhere = ['reactions_count', 'deliveries_count', 'delivered_count', 'failed_count', 'attempts_count']
    const checked =
      read('src/store/checks/consistency.ts') + read('src/store/checks/rules.ts') + read('src/store/checks/files.ts')
    expect(counters.filter((column) => !elsewhere.includes(column) && !checked.includes(`.${column}'`))).toEqual([])
  })

  test('the index for member searches holds the events they depend on', () => {
    const [, types] = read('src/store/schema/migrations/011-stored-fields.ts').match(/WHERE type IN\s*\(([^)]*)\)/)!
    expect([...types!.matchAll(/'([^']+)'/g)].map((match) => match[1]!).sort()).toEqual([...memberSearchEvents].sort())
  })
})
