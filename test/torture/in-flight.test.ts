import { describe, expect, test } from 'bun:test'
import * as apps from '../../src/actions/apps'
import * as channels from '../../src/actions/channels'
import type { WriteContext } from '../../src/actions/context'
import * as members from '../../src/actions/members'
import { type OperationName, operations } from '../../src/contract'
import { hashSecret } from '../../src/domain/secrets'
import { changeWorkspace } from '../../src/gate/write'
import { operatorOf } from '../../src/setup/operator'
import { findAuthor } from '../../src/store/authors'
import { findMemberViewer } from '../../src/store/members'
import { findWorkspace } from '../../src/store/workspaces'
import { revisionOf } from '../expectations'
import { ask } from './matrix-ask'
import { expected, type Rule, reach, rules } from './matrix-rules'
import { type Caller, type Stage, stage } from './matrix-stage'

const writes = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].method !== 'GET')

/** How a right goes away while a request is on its way, and what the request is then told; undefined where it loses none. */
interface Loss {
  name: string
  take(context: WriteContext, place: Place): Promise<unknown>
  told(place: Place): string | undefined
  /** Lets the caller be as before. */
  undo?(context: WriteContext, place: Place): Promise<unknown>
}

interface Place {
  stage: Stage
  rule: Rule
  caller: Caller
  input: Record<string, unknown>
}

const losses: Loss[] = [
  {
    name: 'the token is revoked',
    take: ({ db }, { caller }) => db.deleteFrom('tokens').where('hash', '=', hashSecret(caller.token!)).execute(),
    told: () => 'unauthenticated',
  },
  {
    name: 'the token expires',
    take: ({ db, now }, { caller }) =>
      db.updateTable('tokens').set({ expires_at: now }).where('hash', '=', hashSecret(caller.token!)).execute(),
    told: () => 'unauthenticated',
  },
  {
    name: 'the member becomes a viewer',
    take: (context, { caller }) => members.update(context, { id: caller.id, role: 'viewer' }),
    told: ({ rule, caller }) =>
      caller.role !== 'app' && !reach.viewer.includes(rule.role ?? rule.scope) ? 'forbidden' : undefined,
    undo: (context, { caller }) => members.update(context, { id: caller.id, role: caller.role as 'admin' | 'member' }),
  },
  {
    name: 'the channel becomes private',
    take: async (context, place) =>
      channels.update(await asRoot(context, place.stage), { id: channelOf(place), private: true }),
    told: ({ rule, caller }) => (rule.at === 'channel' && !caller.isInside ? (rule.unseen ?? 'not_found') : undefined),
  },
  {
    name: 'the member is deactivated, or the app deleted',
    take: (context, { caller }) =>
      caller.role === 'app'
        ? apps.delete(context, { id: caller.id })
        : members.update(context, { id: caller.id, is_deactivated: true }),
    told: () => 'unauthenticated',
  },
]

/** Whoever makes a channel private is in it, so it is done by someone of the workspace. */
async function asRoot(context: WriteContext, { root }: Stage): Promise<WriteContext> {
  const { key } = (await findAuthor(context.db, context.viewer, root.id))!
  return { ...context, viewer: (await findMemberViewer(context.db, key))! }
}

const channelOf = ({ stage: { channel }, input }: Place) =>
  [input.channel_id, input.id].map(String).find((id) => id.startsWith('chan_')) ?? channel.id

describe.each(writes)('%s', (name) => {
  test('is refused when the right to do it goes away while the request is on its way', async () => {
    const place = await placeFor(name)
    const told: Record<string, string> = { 'nothing changes': await askHeld(name, place) }
    const right: Record<string, string> = { 'nothing changes': 'ok' }
    const moved: string[] = []
    for (const loss of losses) {
      await renew(place)
      const answer = loss.told(place)
      if (answer === undefined) continue
      told[loss.name] = await askHeld(name, place, loss, moved)
      right[loss.name] = answer
      if (loss.undo) await asOperator(place.stage, (context) => loss.undo!(context, place))
    }
    expect(told).toEqual(right)
    expect(moved).toEqual([])
  })
})

async function placeFor(name: OperationName): Promise<Place> {
  const rule = rules[name]!
  const place = await stage(false)
  const caller = place.callers.find((each) => each.scope === 'admin' && expected(rule, each, false) === 'ok')!
  return { stage: place, rule, caller, input: await rule.input(place) }
}

/** What the last request may have used up, made anew. */
async function renew(place: Place) {
  const { token } = await place.stage.tokenFor(place.caller.id, ['admin'])
  place.caller = { ...place.caller, token }
  const input = await place.rule.input(place.stage)
  // The first of the requests set it.
  place.input = input.password ? { ...input, current_password: input.password } : input
}

/**
 * Sends a request and lets it in, but holds its write behind another one, which takes the right away. On both engines a
 * workspace is written by one transaction at a time, in the order in which they came.
 */
async function askHeld(name: OperationName, place: Place, loss?: Loss, moved: string[] = []): Promise<string> {
  const { engine } = place.stage.server.parley
  const held = Promise.withResolvers<void>()
  const isHolding = Promise.withResolvers<void>()
  const holding = asOperator(place.stage, async (context) => {
    // A change has its workspace to itself once its first statement is answered.
    await findWorkspace(context.db, place.stage.slug)
    isHolding.resolve()
    await held.promise
    await loss?.take(context, place)
  })
  await isHolding.promise

  const write = engine.write
  const isIn = Promise.withResolvers<void>()
  engine.write = (work, origin) => {
    isIn.resolve()
    return write(work, origin)
  }
  const answer = ask(place.stage, name, place.caller, place.input)
  await Promise.race([isIn.promise, answer])
  engine.write = write
  held.resolve()
  await holding
  const before = await revisionOf(place.stage)
  const said = await answer
  if (said !== 'ok' && (await revisionOf(place.stage)) !== before) moved.push(loss?.name ?? '')
  return said
}

async function asOperator<T>({ server: { parley }, slug }: Stage, work: (context: WriteContext) => Promise<T>) {
  return parley.engine.write(async (db) => {
    const workspace = (await findWorkspace(db, slug))!
    return changeWorkspace(parley, db, operatorOf(workspace), async (context) => {
      context.commitWithoutEvents()
      return work(context)
    })
  })
}
