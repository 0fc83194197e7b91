import type { Role } from '../../src/contract/members'
import { type Scope, scopes } from '../../src/contract/operation'
import { time } from '../server'
import { type Person, world } from '../world'

/** A kind of caller: its relation to the record, and its token. */
export interface Caller {
  kind: string
  /** Undefined for callers without a valid token. */
  scope?: Scope
  role: Role | 'app'
  /** Whether they are the author of the record. */
  isAuthor: boolean
  /** Whether they own the webhook. */
  isOwner: boolean
  /** Whether they are in the channel or thread of the record. */
  isInside: boolean
  isElsewhere: boolean
  id: string
  token: string | undefined
}

/** The lifetime of the token that is used after it expired. */
export const LIFE_MS = 60_000

const noRelation = { role: 'admin', isAuthor: false, isOwner: false, isInside: true, isElsewhere: false } as const

/**
 * A workspace with a channel of bob (a member, the author) and gwen (a guest), webhooks of olga (an admin), and callers of
 * every kind: each role with each scope, an app, the author, the owner, guests inside and outside, someone of another
 * workspace, and callers with an invalid token.
 */
export async function worldWithCallers(isPrivate: boolean) {
  const cast = await world()
  const { root, ada, bob, vic, gus, bot, zed } = cast
  const invite = (name: string, role: Role) =>
    root.members.create({ email: `${name}@example.com`, display_name: name, role })
  const [amy, olga, gwen, kim, ken, gone] = await Promise.all([
    invite('Amy', 'admin'),
    invite('Olga', 'admin'),
    invite('Gwen', 'guest'),
    invite('Kim', 'viewer'),
    invite('Ken', 'admin'),
    root.apps.create({ name: 'Gone' }),
  ])
  const channel = await root.channels.create({ name: 'place', private: isPrivate })
  for (const member_id of [bob.id, gwen.id]) await root.channels.addMember({ channel_id: channel.id, member_id })

  const people: [string, Role | 'app', { id: string }][] = [
    ['admin', 'admin', amy],
    ['member', 'member', ada],
    ['viewer', 'viewer', vic],
    ['guest outside', 'guest', gus],
    ['guest inside', 'guest', gwen],
    ['app', 'app', bot],
    ['author', 'member', bob],
    ['owner', 'admin', olga],
  ]
  const admitted = people.flatMap(([kind, role, { id }]) =>
    scopes.map(async (scope): Promise<Caller> => {
      const [isAuthor, isOwner] = [kind === 'author', kind === 'owner']
      const isInside = isAuthor || kind === 'guest inside'
      const { token } = await cast.tokenFor(id, [scope])
      return { kind, role, scope, isAuthor, isOwner, isInside, isElsewhere: false, id, token }
    }),
  )
  const refused: Promise<Caller>[] = [
    deactivated(),
    deletedApp(),
    withoutAccess('revoked', async () => {
      const { id, token } = await root.tokens.createMine({ scopes: ['admin'] })
      await root.tokens.delete({ id })
      return token
    }),
    withoutAccess(
      'expired',
      async () => (await cast.tokenFor(bob.id, ['admin'], new Date(time.now() + LIFE_MS).toISOString())).token,
    ),
    withoutAccess('unknown', async () => `parley_${'x'.repeat(43)}`),
    withoutAccess('none', async () => undefined),
  ]
  const elsewhere: Caller = {
    ...noRelation,
    kind: 'other workspace',
    scope: 'admin',
    isInside: false,
    isElsewhere: true,
    id: zed.id,
    token: zed.token,
  }
  const callers = [...(await Promise.all(admitted)), elsewhere, ...(await Promise.all(refused))]
  return {
    ...cast,
    channel,
    amy,
    kim,
    olga: await cast.tokenFor(olga.id, ['admin']),
    gwen: { ...gwen, ...(await cast.tokenFor(gwen.id, ['admin'])) } as Person,
    callers,
  }

  async function withoutAccess(kind: string, make: () => Promise<string | undefined>): Promise<Caller> {
    return { ...noRelation, kind, id: '', token: await make() }
  }

  function deactivated(): Promise<Caller> {
    return withoutAccess('deactivated', async () => {
      const { token } = await cast.tokenFor(ken.id, ['admin'])
      await root.members.update({ id: ken.id, is_deactivated: true })
      return token
    })
  }

  function deletedApp(): Promise<Caller> {
    return withoutAccess('app that is gone', async () => {
      const { token } = await root.apps.createToken({ id: gone.id, scopes: ['admin'] })
      await root.apps.delete({ id: gone.id })
      return token
    })
  }
}

export type WorldWithCallers = Awaited<ReturnType<typeof worldWithCallers>>
