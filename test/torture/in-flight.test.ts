import { describe, expect, test } from 'bun:test'
import * as apps from '../../src/actions/apps'
import * as channels from '../../src/actions/channels'
import type { WriteContext } from '../../src/actions/context'
import * as members from '../../src/actions/members'
import { type OperationName, operations } from '../../src/contract'
import type { Operation } from '../../src/contract/operation'
import { hashSecret } from '../../src/domain/secrets'
import { findWorkspace } from '../../src/store/people/workspaces'
import { revisionOf } from '../expectations'
import { entryOf, type Prepared, writeNames } from '../operations'
import { expected, type Rule, reach } from '../operations/rules'
import { callAs } from './matrix-call'
import { asOperator, asRoot, type Caller, type WorldWithCallers, worldWithCallers } from './matrix-callers'

/** Only browsers may call these; all callers here have API tokens. */
const OF_BROWSERS: readonly OperationName[] = ['me.setPushSubscription', 'me.deletePushSubscription']
const writes = writeNames.filter((name) => !OF_BROWSERS.includes(name))

const isUpload = (name: OperationName) => {
  const { picture, upload }: Operation = operations[name]
  return Boolean(picture || upload)
}

/** Removes a permission while a request is in progress. `expectAnswer` is undefined if the request does not need it. */
interface Revocation {
  name: string
  take(context: WriteContext, situation: Situation): Promise<unknown>
  expectAnswer(situation: Situation): string | undefined
  /** Restores the permission. */
  undo?(context: WriteContext, situation: Situation): Promise<unknown>
}

interface Situation {
  name: OperationName
  world: WorldWithCallers
  rule: Rule
  caller: Caller
  input: Prepared
}

const revocations: Revocation[] = [
  {
    name: 'the token is revoked',
    take: ({ db }, { caller }) => db.deleteFrom('tokens').where('hash', '=', hashSecret(caller.token!)).execute(),
    expectAnswer: () => 'unauthenticated',
  },
  {
    name: 'the token expires',
    take: ({ db, now }, { caller }) =>
      db.updateTable('tokens').set({ expires_at: now }).where('hash', '=', hashSecret(caller.token!)).execute(),
    expectAnswer: () => 'unauthenticated',
  },
  {
    name: 'the member becomes a viewer',
    take: (context, { caller }) => members.update(context, { id: caller.id, role: 'viewer' }),
    // What takes long to arrive is refused, even if viewers may send it: see requireSameRole.
    expectAnswer: ({ name, rule, caller }) =>
      caller.role !== 'app' && (isUpload(name) || !reach.viewer.includes(rule.role)) ? 'forbidden' : undefined,
    undo: (context, { caller }) => members.update(context, { id: caller.id, role: caller.role as 'admin' | 'member' }),
  },
  {
    name: 'the channel becomes private',
    // Making a channel private adds the caller to it, so the caller must be a member of the workspace.
    take: async (context, situation) => {
      const id = channelOf(situation)
      // Who has posted there before is in it.
      await context.db
        .deleteFrom('channel_members')
        .where('author_id', '=', situation.caller.isInside ? '' : situation.caller.id)
        .where('channel_key', 'in', (db) => db.selectFrom('channels').where('id', '=', id).select('key'))
        .execute()
      return channels.update(await asRoot(context, situation.world), { id, private: true })
    },
    expectAnswer: ({ rule, caller }) =>
      rule.at === 'channel' && !caller.isInside ? (rule.unseen ?? 'not_found') : undefined,
  },
  {
    name: 'the member is deactivated, or the app deleted',
    take: (context, { caller }) =>
      caller.role === 'app'
        ? apps.delete(context, { id: caller.id })
        : members.update(context, { id: caller.id, is_deactivated: true }),
    expectAnswer: () => 'unauthenticated',
  },
]

const channelOf = ({ world: { cast }, input }: Situation) =>
  [input.channel_id, input.id].map(String).find((id) => id.startsWith('chan_')) ?? cast.channel.id

describe.each(writes)('%s', (name) => {
  test('is refused if the permission is removed while the request is in progress', async () => {
    const situation = await newSituation(name)
    const actual: Record<string, string> = { 'nothing changes': await sendHeld(name, situation) }
    const expectedAnswers: Record<string, string> = { 'nothing changes': 'ok' }
    const changed: string[] = []
    for (const revocation of revocations) {
      await renewCaller(situation)
      const answer = revocation.expectAnswer(situation)
      if (answer === undefined) continue
      actual[revocation.name] = await sendHeld(name, situation, revocation, changed)
      expectedAnswers[revocation.name] = answer
      if (revocation.undo) await asOperator(situation.world, (context) => revocation.undo!(context, situation))
    }
    expect(actual).toEqual(expectedAnswers)
    expect(changed).toEqual([])
  })
})

async function newSituation(name: OperationName): Promise<Situation> {
  const { rule, input } = entryOf(name)
  const world = await worldWithCallers(false)
  const caller = world.callers.find((each) => each.scope === 'admin' && expected(rule, each, false) === 'ok')!
  return { name, world, rule, caller, input: await input(world.cast) }
}

/** New token and input: the last request may have revoked or deleted them. */
async function renewCaller(situation: Situation) {
  const { token } = await situation.world.tokenFor(situation.caller.id, ['admin'])
  situation.caller = { ...situation.caller, token }
  const input = await entryOf(situation.name).input(situation.world.cast)
  // The first request set the password.
  situation.input = input.password ? { ...input, current_password: input.password } : input
}

/**
 * Sends a request that passes all checks but whose write waits for another one, which removes the permission. On both
 * engines, writes of a workspace run one after another, in the order of arrival.
 */
async function sendHeld(...input: Parameters<typeof holdAndSend>): Promise<string> {
  const [, { world }] = input
  // Or else the first write that waits could be one in the background, before the request has passed the checks.
  await world.server.parley.presence.settled()
  await world.fillInboxes()
  return world.server.inboxFiller()!.whilePaused(() => holdAndSend(...input))
}

async function holdAndSend(
  name: OperationName,
  situation: Situation,
  revocation?: Revocation,
  changed: string[] = [],
): Promise<string> {
  const { engine } = situation.world.server.parley
  const held = Promise.withResolvers<void>()
  const isHolding = Promise.withResolvers<void>()
  const holding = asOperator(situation.world, async (context) => {
    // A write holds the lock of its workspace from its first statement on.
    await findWorkspace(context.db, situation.world.slug)
    isHolding.resolve()
    await held.promise
    await revocation?.take(context, situation)
  })
  await isHolding.promise

  const write = engine.write
  const isWaiting = Promise.withResolvers<void>()
  engine.write = (work, origin) => {
    isWaiting.resolve()
    return write(work, origin)
  }
  const answer = callAs(situation.world, name, situation.caller, situation.input)
  await Promise.race([isWaiting.promise, answer])
  engine.write = write
  held.resolve()
  await holding
  const before = await revisionOf(situation.world)
  const outcome = await answer
  if (outcome !== 'ok' && (await revisionOf(situation.world)) !== before) changed.push(revocation?.name ?? '')
  return outcome
}
