import { describe, expect, test } from 'bun:test'
import { createClient } from '../client'
import { callOperation, calls, entryOf } from '../operations'
import { castOf } from '../operations/cast'
import { planOf } from '../plans'
import { deadMailServer, startTestServer } from '../server'
import { world } from '../world'

// Both engines have the same indexes. The plans of SQLite show which of them a statement can use, however little data there is.

/** A row for each workspace or webhook, or emptied by the job that reads them. */
const SMALL = [
  ...['workspaces', 'inbox_positions', 'search_state', 'sqlite_sequence', 'webhooks'],
  ...['personal_events', 'removed_subjects'],
]
/** An index of the few rows with something left to do may be read whole. */
const SCAN = /^SCAN (?!CONSTANT|\d+-ROW)(\w+)(?!.*(VIRTUAL TABLE|_without_hash|_relisting))/

describe('whole tables', () => {
  test('are read by no operation, and by no job that follows', async () => {
    const statements = new Map<string, readonly unknown[]>()
    const server = await startTestServer(
      { ...deadMailServer, CACHE_MB: '0' },
      { onAnyStatement: (text, values) => void statements.set(text, values) },
    )
    for (const { name, input: createInput } of calls) {
      const cast = castOf(await world(server))
      const { shows: _, last: __, ...input } = await createInput(cast)
      const token = (await entryOf(name).token?.(cast)) ?? cast.author.token
      await callOperation(createClient({ baseUrl: cast.world.baseUrl, token }), name, input)
    }
    const read = [...statements].filter(([text]) => /^\s*(select|with|update|delete|insert)\b/i.test(text))
    const scans: object[] = []
    for (const [sql, values] of read) {
      const tables = findScans(sql, await planOf(server, { sql, values })).filter((table) => !SMALL.includes(table))
      if (tables.length > 0) scans.push({ sql, tables })
    }
    expect(scans).toEqual([])
    expect(read.length).toBeGreaterThan(200)
  }, 100_000)

  test('are reported by their names', async () => {
    const server = await startTestServer()
    const reported = async (sql: string) => findScans(sql, await planOf(server, { sql, values: [] }))
    const ofAuthor = 'SELECT cm.channel_key FROM channel_members AS cm WHERE cm.author_key = 1'
    expect(await reported(ofAuthor)).toEqual(['channel_members'])
    expect(await reported('UPDATE posts SET title = title WHERE markdown = content')).toEqual(['posts'])
    expect(await reported('SELECT k.key FROM (SELECT key FROM posts WHERE key = 1) AS k')).toEqual([])
  })
})

/** The tables that a plan reads whole, by their names. What a statement makes itself, such as a page, may be read whole. */
function findScans(sql: string, plan: readonly string[]): string[] {
  const isMade = (name: string) =>
    new RegExp(`\\) AS "?${name}\\b|\\b${name}( \\([\\w, ]*\\))? AS (MATERIALIZED )?\\(`, 'i').test(sql)
  return plan.flatMap((line) => {
    const [, name] = SCAN.exec(line) ?? []
    if (!name || isMade(name)) return []
    const [, table = name] = new RegExp(`\\b(?:from|join|update) "?(\\w+)"? as "?${name}\\b`, 'i').exec(sql) ?? []
    return isMade(table) ? [] : [table]
  })
}
