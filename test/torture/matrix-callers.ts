import * as apps from '../../src/actions/apps'
import * as channels from '../../src/actions/channels'
import type { WriteContext } from '../../src/actions/context'
import * as members from '../../src/actions/members'
import * as tokens from '../../src/actions/tokens'
import type { Role } from '../../src/contract/members'
import { type Scope, scopes } from '../../src/contract/operation'
import { operatorOf } from '../../src/domain/permissions'
import { withWriteContext } from '../../src/gate/write'
import { findAuthor } from '../../src/store/people/authors'
import { findMemberViewer } from '../../src/store/people/members'
import { findWorkspace } from '../../src/store/people/workspaces'
import type { Cast } from '../operations/cast'
import { time } from '../server'
import { type Person, type World, world } from '../world'

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
const LIFE_MS = 60_000

const noRelation = { role: 'admin', isAuthor: false, isOwner: false, isInside: false, isElsewhere: false } as const

/**
 * A workspace with a channel of bob (a member, the author) and gwen (a guest), webhooks of olga (an admin), and callers of
 * every kind: each role with each scope, an app, the author, the owner, guests inside and outside, someone of another
 * workspace, and callers with an invalid token.
 */
export async function worldWithCallers(isPrivate: boolean) {
  const home = await world()
  const { root, ada, bob, vic, gus, bot, zed } = home
  // In one transaction, which takes a tenth of the time of as many requests.
  const { olga, gwen, channel, callers } = await asOperator(home, async (context) => {
    const invite = (name: string, role: Role) =>
      members.create(context, { email: `${name}@example.com`, display_name: name, role })
    const olga = await invite('Olga', 'admin')
    const gwen = await invite('Gwen', 'guest')
    const byRoot = await asRoot(context, home)
    const channel = await channels.create(byRoot, { name: 'place', private: isPrivate })
    for (const member_id of [bob.id, gwen.id]) await channels.addMember(byRoot, { channel_id: channel.id, member_id })

    const people: [string, Role | 'app', { id: string }][] = [
      ['admin', 'admin', await invite('Amy', 'admin')],
      ['member', 'member', ada],
      ['viewer', 'viewer', vic],
      ['guest outside', 'guest', gus],
      ['guest inside', 'guest', gwen],
      ['app', 'app', bot],
      ['author', 'member', bob],
      ['owner', 'admin', olga],
    ]
    const callers: Caller[] = []
    for (const [kind, role, { id }] of people)
      for (const scope of scopes) {
        const [isAuthor, isOwner] = [kind === 'author', kind === 'owner']
        const isInside = isAuthor || kind === 'guest inside'
        const token = await newToken(context, id, scope)
        callers.push({ ...noRelation, kind, role, scope, isAuthor, isOwner, isInside, id, token })
      }
    callers.push({
      ...noRelation,
      kind: 'other workspace',
      scope: 'admin',
      isElsewhere: true,
      id: zed.id,
      token: zed.token,
    })
    for (const [kind, token] of Object.entries(await invalidTokens(context, byRoot, bob)))
      callers.push({ ...noRelation, kind, id: '', token })
    return { olga, gwen, channel, callers }
  })
  time.advance(2 * LIFE_MS)
  const cast: Cast = {
    world: home,
    author: bob,
    other: gwen,
    third: root,
    admin: root,
    owner: await home.tokenFor(olga.id, ['admin']),
    member: bob,
    app: bot,
    channel,
  }
  return { ...home, callers, cast }
}

export type WorldWithCallers = Awaited<ReturnType<typeof worldWithCallers>>

/** Tokens that are not valid any more, or never were. That of bob expires soon. */
async function invalidTokens(context: WriteContext, byRoot: WriteContext, bob: Person) {
  const { id: deactivated } = await members.create(context, {
    email: 'ken@example.com',
    display_name: 'Ken',
    role: 'admin',
  })
  const tokenOfDeactivated = await newToken(context, deactivated, 'admin')
  await members.update(context, { id: deactivated, is_deactivated: true })
  const { id: deletedApp } = await apps.create(context, { name: 'Gone' })
  const tokenOfDeletedApp = await newToken(context, deletedApp, 'admin')
  await apps.delete(context, { id: deletedApp })
  const revoked = await tokens.issueToken(context, byRoot.viewer.author, { scopes: ['admin'] })
  await tokens.delete(byRoot, { id: revoked.id })
  return {
    deactivated: tokenOfDeactivated,
    'app that is gone': tokenOfDeletedApp,
    revoked: revoked.token,
    expired: await newToken(context, bob.id, 'admin', new Date(time.now() + LIFE_MS).toISOString()),
    unknown: `parley_${'x'.repeat(43)}`,
    none: undefined,
  }
}

async function newToken(context: WriteContext, id: string, scope: Scope, expires_at?: string): Promise<string> {
  const author = (await findAuthor(context.db, context.viewer, id))!
  return (await tokens.issueToken(context, author, { scopes: [scope], expires_at })).token
}

/** Changes a workspace without a request. */
export async function asOperator<T>(
  { server: { parley }, slug }: World,
  work: (context: WriteContext) => Promise<T>,
): Promise<T> {
  return parley.engine.write(async (db) => {
    const workspace = (await findWorkspace(db, slug))!
    return withWriteContext(parley, db, operatorOf(workspace), async (context) => {
      context.commitWithoutEvents()
      return work(context)
    })
  })
}

/** What an operator is not: a member of channels. */
export async function asRoot(context: WriteContext, { root }: World): Promise<WriteContext> {
  const { key } = (await findAuthor(context.db, context.viewer, root.id))!
  return { ...context, viewer: (await findMemberViewer(context.db, key))! }
}
