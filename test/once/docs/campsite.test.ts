import { beforeAll, describe, expect, test } from 'bun:test'
import type { Scope } from '../../../src/contract/operation'
import { tablesOf } from '../../documents'
import { type World, world } from '../../world'

/**
 * The tables of docs/campsite.md that say what a request gets from Campsite and from Parley, or from both. A request is what is in
 * code: a method and a path, then headers and a body, as JSON or as a form. Names in braces stand for ids.
 */
const tables = tablesOf('docs/campsite.md').filter(({ head }) => head[0] === 'request')
const differing = tables.find(({ head }) => head[1] === 'Campsite')?.rows ?? []
const same = tables.find(({ head }) => head[1] === 'both')?.rows ?? []

let cast: World
let ids: Record<string, string>

beforeAll(async () => {
  cast = await world()
  const { root, bob, bot, general } = cast
  const hidden = await root.channels.create({ name: 'Board', private: true })
  const write = { content_markdown: 'Lunch?' }
  const post = await root.posts.create({ channel_id: general.id, ...write })
  const otherPost = await root.posts.create({ channel_id: general.id, ...write })
  const other = await root.comments.create({ post_id: otherPost.id, ...write })
  const comment = await root.comments.create({ post_id: post.id, ...write })
  const reply = await root.comments.create({ post_id: post.id, parent_id: comment.id, ...write })
  const hiddenPost = await root.posts.create({ channel_id: hidden.id, ...write })
  const thread = await bot.threads.create({ member_ids: [bob.id] })
  const hiddenThread = await root.threads.create({ member_ids: [bob.id] })
  const leaver = await root.members.create({ email: 'lee@example.com', display_name: 'Lee', role: 'member' })
  await root.members.update({ id: leaver.id, is_deactivated: true })
  ids = {
    channel_id: general.id,
    hidden_channel_id: hidden.id,
    post_id: post.id,
    hidden_post_id: hiddenPost.id,
    other_comment_id: other.id,
    reply_id: reply.id,
    thread_id: thread.id,
    hidden_thread_id: hiddenThread.id,
    member_id: bob.id,
    deactivated_member_id: leaver.id,
    title_of_81_characters: 'x'.repeat(81),
  }
})

/** The request in a cell, as the app sends it with a token of the scope `write`, unless the cell names another one. */
async function send(cell: string): Promise<Response> {
  const scope = cell.match(/scope `(\w+)`/)?.[1] ?? 'write'
  const [request, ...parts] = [...cell.replace(/scope `\w+`/, '').matchAll(/`([^`]+)`/g)].map(([, code]) =>
    fillIn(code!),
  )
  const [method, path] = request!.split(' ') as [string, string]
  const headers: Record<string, string> = {}
  let body: string | undefined
  for (const part of parts) {
    const [, name, value] = part.match(/^([\w-]+): (.*)$/) ?? []
    if (name) headers[name] = value!
    else {
      body = part
      headers['Content-Type'] = part.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'
    }
  }
  const caller = scope === 'write' ? cast.bot : await cast.tokenFor(cast.bot.id, [scope as Scope])
  return cast.raw(caller, path, { method, headers, body: body ?? null })
}

function fillIn(code: string): string {
  return code.replace(/\{(\w+)\}/g, (_, name) => {
    if (!ids[name]) throw new Error(`There is no \`${name}\`.`)
    return ids[name]
  })
}

/** What Parley answers, as the tables have it: the status, and the code of an error. */
async function answerTo(cell: string): Promise<string> {
  expect(cell).toMatch(/^`(GET|POST|PUT|PATCH|DELETE) \/v2\/[^`]+`/)
  const response = await send(cell)
  const { code } = (await response.json()) as { code?: string }
  return code === undefined ? `${response.status}` : `${response.status} \`${code}\``
}

describe('the statuses in docs/campsite.md', () => {
  test('are listed', () => expect([tables.length, differing.length > 30, same.length > 10]).toEqual([2, true, true]))

  test.each(differing as [string, string, string][])('%s: not %s, but %s', async (request, campsite, parley) => {
    expect(await answerTo(request)).toBe(parley)
    expect(campsite).toMatch(/^\d{3}\b/)
    expect(campsite.slice(0, 3)).not.toBe(parley.slice(0, 3))
  })

  test.each(same as [string, string][])('%s: %s', async (request, both) => expect(await answerTo(request)).toBe(both))
})
