import { describe, expect, test } from 'bun:test'
import type { OperationName } from '../../src/contract'
import { tools } from '../../src/mcp/server'
import { revisionOf } from '../expectations'
import { type Json, request } from '../mcp/agent'
import { entryOf } from '../operations'
import { expected } from '../operations/rules'
import { type Caller, type WorldWithCallers, worldWithCallers } from '../torture/matrix-callers'

interface Matched {
  /** The operation that the tool is for, whose rule applies. */
  rule: OperationName
  /** The operation's input as the tool's arguments. */
  args?: (input: Json) => Json
  /** The records of the result, where the rule says which one a list must show. */
  list?: string
}

/** By which rule of the API each tool answers. */
const matched: Record<string, Matched> = {
  search: {
    rule: 'search.list',
    args: ({ q }) => ({ q }),
    list: 'results',
  },
  list_channels: { rule: 'channels.list', args: () => ({ limit: 50 }), list: 'channels' },
  list_posts: { rule: 'posts.list', list: 'posts' },
  read_post: { rule: 'posts.get', args: ({ id }) => ({ post_id: id }) },
  write_post: { rule: 'posts.create', args: ({ channel_id, ...text }) => ({ channel: channel_id, ...text }) },
  comment: { rule: 'comments.create' },
  react: { rule: 'reactions.add', args: ({ subject_id, emoji }) => ({ id: subject_id, emoji }) },
  resolve_post: { rule: 'posts.resolve', args: (input) => ({ ...input, action: 'resolve' }) },
  list_threads: { rule: 'threads.list', list: 'threads' },
  read_thread: { rule: 'threads.get', args: ({ id }) => ({ thread_id: id }) },
  send_message: { rule: 'messages.create', args: ({ thread_id, ...text }) => ({ to: thread_id, ...text }) },
  find_people: { rule: 'members.list', list: 'members', args: ({ shows, ...query }) => query },
  inbox: { rule: 'inbox.list', list: 'entries' },
  whats_new: { rule: 'posts.list', list: 'posts', args: () => ({}) },
}

const shared = new Map<boolean, ReturnType<typeof worldWithCallers>>()

test('every tool has a rule', () => {
  expect(Object.keys(matched).sort()).toEqual(tools.map(({ name }) => name).sort())
})

describe.each(Object.keys(matched))('%s', (name) => {
  const { rule } = entryOf(matched[name]!.rule)
  for (const isPrivate of rule.at === 'channel' ? [false, true] : [false])
    test(
      isPrivate ? 'answers every caller by the rules, in a private channel' : 'answers every caller by the rules',
      () => expectAnswers(name, isPrivate),
    )
})

async function expectAnswers(name: string, isPrivate: boolean) {
  const { rule: operation, args = ({ shows, last, ...input }: Json) => input, list } = matched[name]!
  const { rule, input: createInput } = entryOf(operation)
  const workspace = await shared.getOrInsertComputed(isPrivate, () => worldWithCallers(isPrivate))
  const writes = tools.find((tool) => tool.name === name)!.writes !== undefined
  const [actual, wanted]: Record<string, string>[] = [{}, {}]
  let input: Json = await createInput(workspace.cast)
  for (const caller of workspace.callers) {
    const who = `${caller.kind} with ${caller.scope}`
    const before = writes ? await revisionOf(workspace) : 0
    const shown = list && 'shows' in input ? { list, id: String(input.shows) } : undefined
    const answer = await answerTo(workspace, caller, name, args(input), shown)
    actual![who] = answer
    wanted![who] = expected(rule, caller, isPrivate)
    if (answer === 'ok') input = writes ? await createInput(workspace.cast) : input
    else if (writes) expect(await revisionOf(workspace)).toBe(before)
  }
  expect(actual).toEqual(wanted!)
}

/** Returns `ok`, `hidden` if a list does not contain the record, or the error code. */
async function answerTo(
  { baseUrl }: WorldWithCallers,
  caller: Caller,
  name: string,
  args: Json,
  shown: { list: string; id: string } | undefined,
): Promise<string> {
  const { body } = await request({ baseUrl, token: caller.token }, 'tools/call', { name, arguments: args })
  if (body.code) return body.code
  const { isError, structuredContent, _meta } = body.result
  if (isError) return _meta['parley/code']
  if (!shown) return 'ok'
  return structuredContent[shown.list].some(({ id }: Json) => id === shown.id) ? 'ok' : 'hidden'
}
