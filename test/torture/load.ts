import { expect } from 'bun:test'
import { ApiError, type Client } from '../client'
import { findFaults } from '../consistency'
import { type Child, inDatabase } from './child'

const CONNECTIONS = 16

/** Writes on many connections until stopped; records acknowledged and refused writes. */
export function load(child: Child, client: Client, channel_id: string) {
  const state = { isOver: false, done: [] as string[], refused: [] as ApiError[], died: [] as string[] }
  const worker = async () => {
    while (!state.isOver) {
      try {
        state.done.push((await client.posts.create({ channel_id, content_markdown: 'Under load' })).id)
        await client.posts.list({ limit: 5 })
      } catch (error) {
        // A broken connection means that the server died.
        if (!(error instanceof ApiError)) return void state.died.push(`${error}\n${child.output.errors}`)
        state.refused.push(error)
        await Bun.sleep(20)
      }
    }
  }
  const workers = Array.from({ length: CONNECTIONS }, worker)
  return {
    state,
    async stop() {
      state.isOver = true
      await Promise.all(workers)
      expect(state.died).toEqual([])
      return state
    },
  }
}

/** Expects only 503 with Retry-After, no internals in messages, and no unexpected errors in the log. */
export function expectOnlyUnavailable(child: Child, refused: readonly ApiError[]) {
  const lines = refused.map(({ status, code, detail }) => `${status} ${code} ${detail}`)
  expect(new Set(lines.filter((line) => !line.startsWith('503 unavailable')))).toEqual(new Set())
  expect(refused.filter(({ headers }) => !/^\d+$/.test(headers.get('retry-after') ?? ''))).toEqual([])
  expect(lines.join('\n')).not.toMatch(/node_modules|ECONN|\bpg\b|:\d+:\d+/)
  expect(child.output.errors).not.toMatch(/Unexpected error|this is a bug/)
}

/** Expects all acknowledged posts in the database, and correct counters. */
export async function expectNothingLost(url: string, done: readonly string[]) {
  const found = await inDatabase<{ ids: Set<string>; wrong: string[] }>(url, async (db) => ({
    ids: new Set((await db.selectFrom('posts').select('id').execute()).map(({ id }) => id)),
    wrong: await findFaults(db),
  }))
  expect(done.filter((id) => !found.ids.has(id))).toEqual([])
  expect(found.wrong).toEqual([])
}
