import { expect } from 'bun:test'
import type { ErrorCode, InputError } from '../src/contract/errors'
import type { Author, Page } from '../src/contract/shapes'
import type { Client } from './client'
import { statementsOf } from './server'
import type { World } from './world'

export const timestamp: string = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** An id with this prefix, such as `post`. */
export const idOf = (prefix: string): string => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`))

const avatar: string = expect.stringMatching(/^http:\/\/\S+\/avatars\/\d+\/\S+\.svg$/)
export const avatarUrls = { xs: avatar, sm: avatar, base: avatar, lg: avatar, xl: avatar, xxl: avatar }

export const author = (who: { id: string }, name: string, type: Author['type'] = 'member'): Author => ({
  avatar_urls: avatarUrls,
  name,
  id: who.id,
  type,
})

/** Expects the call to be refused with this code. */
export const expectRefused = (call: Promise<unknown>, code: ErrorCode) => expect(call).rejects.toMatchObject({ code })

/** Expects the input to be refused because of exactly these fields. */
export async function expectInvalid(call: Promise<unknown>, ...names: string[]) {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toMatchObject({ code: 'invalid_input', status: 422 })
  expect(error.errors.map(({ name }: InputError) => name)).toEqual(names)
}

type Caller = { [K in keyof World]: World[K] extends Client ? K : never }[keyof World] | 'reader'

/** Expects these callers to be refused with these codes, without any change. `reader` is ada with a read-only token. */
export async function expectRefusals(
  world: World,
  call: (who: Client) => Promise<unknown>,
  codes: Partial<Record<Caller, ErrorCode>>,
) {
  const reader = 'reader' in codes ? await world.tokenFor(world.ada.id, ['read']) : world.ada
  const before = await revisionOf(world)
  const actual: Record<string, unknown> = {}
  for (const name of Object.keys(codes) as Caller[]) {
    const who = name === 'reader' ? reader : world[name]
    actual[name] = await call(who).then(
      () => 'allowed',
      (error) => error.code ?? error,
    )
  }
  expect(actual).toEqual(codes)
  expect(await revisionOf(world)).toBe(before)
}

/** The number of changes of the workspace so far, without changes of inboxes, which come a little later. */
export async function revisionOf({ server, workspaceKey }: World): Promise<number> {
  await server.parley.personalEvents.settled()
  return server.parley.engine.read(async (db) => {
    // One statement: inboxes may be filled between two.
    const { revision, filled } = await db
      .selectFrom('workspaces as w')
      .where('w.key', '=', workspaceKey)
      .select('w.revision')
      .select((eb) =>
        eb
          .selectFrom('events')
          .whereRef('events.workspace_key', '=', 'w.key')
          .where('events.type', '=', 'inbox.updated')
          .where('events.actor_key', '=', 0)
          .select((each) => each.fn.countAll<number>().as('count'))
          .as('filled'),
      )
      .executeTakeFirstOrThrow()
    return revision - Number(filled)
  })
}

type List<R> = (input: { limit?: number; after?: string }) => Promise<Page<R>>

/** Pages through a list to its end and back, and compares the pages to the whole list. */
export async function expectPages<R>(list: List<R>, all: readonly R[], limit = 2) {
  const pages: R[][] = []
  for (let at = 0; at < all.length; at += limit) pages.push(all.slice(at, at + limit))
  expect(pages.length).toBeGreaterThan(1)

  let page = await list({ limit })
  expect(page.prev_cursor).toBeNull()
  for (const [number, expected] of pages.entries()) {
    if (number > 0) page = await list({ limit, after: page.next_cursor! })
    expect(page.data).toEqual(expected as R[])
    expect(page.total_count).toBe(all.length)
    expect(page.next_cursor === null).toBe(number === pages.length - 1)
  }
  for (const [number, expected] of [...pages.entries()].reverse().slice(1)) {
    page = await list({ limit, after: page.prev_cursor! })
    expect(page.data).toEqual(expected as R[])
    expect(page.total_count).toBe(all.length)
    expect(page.prev_cursor === null).toBe(number === 0)
  }
}

/** The number of SELECT statements of a call, without those that authenticate the caller. */
export async function countReads(world: World, who: Client, call: (who: Client) => Promise<unknown>): Promise<number> {
  // Jobs in the background run statements now and then, but hardly twice in a row.
  const ran = [await runStatements(world, who, call), await runStatements(world, who, call)]
  return Math.min(
    ...ran.map(
      (all) =>
        all.filter((sql) => /^select/i.test(sql) && !/"events"|"tokens" as "t"|"access_revision"/.test(sql)).length,
    ),
  )
}

/** The statements of a call as verb and first table, without the statements that authenticate the caller or index texts. */
export async function listStatements(
  world: World,
  who: Client,
  call: (who: Client) => Promise<unknown>,
): Promise<string[]> {
  const ran = await runStatements(world, who, call)
  return ran
    .filter((sql) => !/"tokens"|"access_revision"|"search_|^select.* from "events"/.test(sql))
    .flatMap((sql) => sql.match(/^(select .*? from|insert into|update|delete from) "\w+"/)?.[0] ?? [])
    .map((sql) => sql.replace(/^select .* from/, 'select from').replaceAll('"', ''))
}

async function runStatements(world: World, who: Client, call: (who: Client) => Promise<unknown>): Promise<string[]> {
  await world.fillInboxes()
  return world.server.inboxFiller()!.whilePaused(async () => {
    // The last-seen time of the caller is updated by the first request, so that it is not counted.
    await who.me.get()
    await world.server.parley.presence.settled()
    await who.me.get()
    const statements = statementsOf(world.server)
    statements.length = 0
    await call(who)
    return [...statements]
  })
}

/** Polls until the condition is true. */
export async function waitUntil(check: () => Promise<boolean> | boolean) {
  const deadline = performance.now() + 120_000
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error('The condition was not met within two minutes.')
    await Bun.sleep(10)
  }
}

/** The records sorted by time, then by id. */
export const inOrder = <R extends { id: string; created_at: string }>(records: readonly R[], way: 1 | -1 = 1): R[] =>
  [...records].sort((a, b) => {
    const [left, right] = [a.created_at + a.id, b.created_at + b.id]
    return left < right ? -way : left > right ? way : 0
  })

export const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id)
