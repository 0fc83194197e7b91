import { type OperationName, operations } from '../../src/contract'
import type { EventType } from '../../src/contract/event-types'
import type { Client } from '../client'
import { type Draw, drawFrom, type Random, type RecordIds, rememberIds } from '../random-writes'
import type { Person } from '../world'
import { apps } from './apps'
import { audience } from './audience'
import type { Cast } from './cast'
import { channels } from './channels'
import { comments } from './comments'
import { drafts } from './drafts'
import { edits } from './edits'
import { emoji } from './emoji'
import type { Done, Entry, WriteName } from './entry'
import { events } from './events'
import { files } from './files'
import { follows } from './follows'
import { groups } from './groups'
import { hooks } from './hooks'
import { inbox } from './inbox'
import { invitations } from './invitations'
import { inviteLinks } from './invite-links'
import { markdown } from './markdown'
import { me } from './me'
import { members } from './members'
import { messages } from './messages'
import { pins } from './pins'
import { posts } from './posts'
import { reactions } from './reactions'
import { reads } from './reads'
import type { Rule } from './rules'
import { saved } from './saved'
import { search } from './search'
import { sessions } from './sessions'
import { sidebar } from './sidebar'
import { signInLinks } from './sign-in-links'
import { threads } from './threads'
import { tokens } from './tokens'
import { unread } from './unread'
import { webhooks } from './webhooks'
import { workspace } from './workspace'

/** What the tests know of every operation. */
const entries: { [O in OperationName]: Entry<O> } = {
  ...posts,
  ...comments,
  ...edits,
  ...channels,
  ...threads,
  ...messages,
  ...members,
  ...groups,
  ...me,
  ...workspace,
  ...sessions,
  ...signInLinks,
  ...invitations,
  ...inviteLinks,
  ...tokens,
  ...apps,
  ...markdown,
  ...audience,
  ...search,
  ...inbox,
  ...unread,
  ...reads,
  ...follows,
  ...sidebar,
  ...drafts,
  ...pins,
  ...saved,
  ...events,
  ...webhooks,
  ...hooks,
  ...files,
  ...reactions,
  ...emoji,
}

export const operationNames = Object.keys(operations) as OperationName[]
export const writeNames = operationNames.filter((name) => operations[name].method !== 'GET') as WriteName[]

/** The input of a call, with what is known about the records it is about. */
export type Prepared = Record<string, unknown> & { shows?: string; last?: object }

/** A call of the registry without the types of its operation, for tests that make all calls. */
export interface AnyCall {
  /** The operation, and what is special about this call of it. */
  title: string
  name: OperationName
  input: (cast: Cast) => Promise<Prepared>
  rule: Rule
  check?: (output: unknown, input: unknown) => void
  events?: { [E in EventType]?: 'unseen' | ((done: Done<never>) => unknown) }
  again?: 'same events' | 'no event' | readonly EventType[] | string
}

interface AnyEntry extends Omit<AnyCall, 'title' | 'name'> {
  also?: Record<string, Omit<AnyCall, 'title' | 'name'>>
  token?: (cast: Cast) => Promise<string>
  random?: ((draw: Draw) => unknown) | string
  isSlow?: true
  unreachable?: string
}

export const entryOf = (name: OperationName): AnyEntry => entries[name] as unknown as AnyEntry

/** All calls of the registry. */
export const calls: AnyCall[] = operationNames.flatMap((name) => {
  const { also = {}, ...main } = entryOf(name)
  return [
    { ...main, title: name as string, name },
    ...Object.entries(also).map(([what, call]) => ({ ...call, title: `${name}, ${what}`, name })),
  ]
})

/** Calls an operation by its name. */
export async function callOperation(client: Client, name: OperationName, input: unknown): Promise<unknown> {
  const [noun, verb] = name.split('.') as [string, string]
  const nouns = client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>
  return nouns[noun]![verb]!(input)
}

/** The writes that can be made with random records. */
export const randomWriteNames = writeNames.filter((name) => typeof entryOf(name).random === 'function')

/** Makes a write with random records, and adds what it creates to them. */
export async function writeRandomly(name: OperationName, who: Person, records: RecordIds, random: Random) {
  const { random: draw } = entryOf(name)
  if (typeof draw !== 'function') throw new Error(`${name} is not among the random writes.`)
  const input = await draw(drawFrom(who, records, random))
  if (input) rememberIds(records, await callOperation(who, name, input))
}
