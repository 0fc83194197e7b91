import * as apps from '../src/actions/apps'
import * as channels from '../src/actions/channels'
import type { WriteContext } from '../src/actions/context'
import * as members from '../src/actions/members'
import { issueToken } from '../src/actions/tokens'
import type { Role } from '../src/contract/members'
import type { Scope } from '../src/contract/operation'
import { changeWorkspace } from '../src/gate/write'
import type { Running } from '../src/server'
import { operatorOf } from '../src/setup/operator'
import { findAuthor } from '../src/store/authors'
import { listEvents } from '../src/store/events'
import { findWorkspace, insertWorkspace } from '../src/store/workspaces'
import { type Client, createClient } from './client'
import { sharedServer } from './server'

/** A member or app of the cast, with its client. */
export type Person = Client & { id: string; token: string; baseUrl: string }

/**
 * Creates a workspace with its cast, on a real server over HTTP:
 * root (admin), ada and bob (members), vic (viewer), gus (guest, in no channel), bot (an app with write scope),
 * and zed, the admin of another workspace. `general` is a public channel with root as its only member.
 */
export async function world(server?: Running) {
  const running = server ?? (await sharedServer())
  const slug = `w-${crypto.randomUUID()}`
  const home = await newWorkspace(running, slug, async (context) => ({
    ada: await newPerson(running, context, 'Ada Lovelace', 'ada@example.com', 'member'),
    bob: await newPerson(running, context, 'Bob Moore', 'bob@example.com', 'member'),
    vic: await newPerson(running, context, 'Vic Viewer', 'vic@example.com', 'viewer'),
    gus: await newPerson(running, context, 'Gus Guest', 'gus@example.com', 'guest'),
    bot: await newApp(running, context, 'Bot', ['write']),
  }))
  const away = await newWorkspace(running, `${slug}-away`, async () => ({}))
  const { key } = await running.parley.engine.read(async (db) => (await findWorkspace(db, slug))!)
  const started = (await readEvents()).length

  return {
    ...home,
    zed: away.root,
    server: running,
    baseUrl: running.url,
    slug,
    workspaceKey: key,
    /** The types of the events since the world was created, in order, without those that fill inboxes some time later. */
    events: async () => (await readEvents()).slice(started).map(({ type }) => type),
    eventRows: async () => (await readEvents()).slice(started),
    /** The whole log, from its beginning. */
    logRows: readLog,
    /** Resolves when the inboxes hold all that has happened. */
    fillInboxes: () => running.inboxFiller()!.tick(),
    /** Another token for someone of this workspace. */
    tokenFor: (id: string, scopes: Scope[], expires_at?: string) => tokenFor(running, slug, id, scopes, expires_at),
    /** A client with this token. */
    as: (token: string) => createClient({ baseUrl: running.url, token }),
    /** Sends a raw HTTP request. */
    raw: (who: Person | undefined, path: string, init: RequestInit = {}) =>
      fetch(running.url + path, {
        ...init,
        headers: { ...(who && { Authorization: `Bearer ${who.token}` }), ...(init.headers as Record<string, string>) },
      }),
  }

  function readLog() {
    return running.parley.engine.read((db) => listEvents(db, key, 0, 100_000))
  }

  async function readEvents() {
    return (await readLog()).filter(({ type, actor_key }) => type !== 'inbox.updated' || actor_key !== 0)
  }
}

export type World = Awaited<ReturnType<typeof world>>

async function newWorkspace<T>(running: Running, slug: string, cast: (context: WriteContext) => Promise<T>) {
  const { parley } = running
  return parley.engine.write(async (db) => {
    const now = parley.clock()
    const workspace = await insertWorkspace(db, {
      id: parley.newId('ws', now),
      slug,
      name: slug,
      created_at: now,
      is_set_up: true,
    })
    return changeWorkspace(parley, db, operatorOf(workspace), async (context) => {
      const root = await newPerson(running, context, 'Root Admin', `root@${slug}.example.com`, 'admin')
      const author = (await findAuthor(db, context.viewer, root.id))!
      const asRoot = {
        ...context,
        viewer: { ...context.viewer, author: { ...context.viewer.author, key: author.key, id: root.id } },
      }
      const general = await channels.create(asRoot, { name: 'general' })
      return { root, general, ...(await cast(context)) }
    })
  })
}

async function newPerson(
  running: Running,
  context: WriteContext,
  name: string,
  email: string,
  role: Role,
): Promise<Person> {
  const { id } = await members.create(context, { email, display_name: name, role })
  return newCaller(running, context, id, ['admin'])
}

async function newApp(running: Running, context: WriteContext, name: string, scopes: Scope[]): Promise<Person> {
  const { id } = await apps.create(context, { name })
  return newCaller(running, context, id, scopes)
}

async function newCaller(running: Running, context: WriteContext, id: string, scopes: Scope[]): Promise<Person> {
  const author = (await findAuthor(context.db, context.viewer, id))!
  const { token } = await issueToken(context, author, { scopes })
  return { ...createClient({ baseUrl: running.url, token }), id, token, baseUrl: running.url }
}

export async function tokenFor(
  running: Running,
  slug: string,
  id: string,
  scopes: Scope[],
  expires_at?: string,
): Promise<Person> {
  const { parley } = running
  return parley.engine.write(async (db) => {
    const workspace = (await findWorkspace(db, slug))!
    return changeWorkspace(parley, db, operatorOf(workspace), async (context) => {
      const author = (await findAuthor(db, context.viewer, id))!
      const { token } = await issueToken(context, author, { scopes, expires_at })
      return { ...createClient({ baseUrl: running.url, token }), id, token, baseUrl: running.url }
    })
  })
}
