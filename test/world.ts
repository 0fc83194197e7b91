import { enterChannel } from '../src/accounts/joining'
import * as apps from '../src/actions/apps'
import * as channels from '../src/actions/channels'
import type { WriteContext } from '../src/actions/context'
import * as members from '../src/actions/members'
import { issueToken } from '../src/actions/tokens'
import { setupSteps } from '../src/contract/browser/constants'
import type { Channel } from '../src/contract/channels'
import type { Role } from '../src/contract/members'
import type { Scope } from '../src/contract/operation'
import { operatorOf } from '../src/domain/permissions'
import { withWriteContext } from '../src/gate/write'
import type { Running } from '../src/server'
import { findActiveChannel, toChannel } from '../src/store/content/channels'
import { listEvents } from '../src/store/log/events'
import { findAuthor } from '../src/store/people/authors'
import { findWorkspace, insertWorkspace } from '../src/store/people/workspaces'
import { type Client, createClient } from './client'
import { sharedServer, takePreparedWorld } from './server'

/** A member or app of the cast, with its client. */
export type Person = Client & { id: string; token: string; baseUrl: string }

const names = ['root', 'ada', 'bob', 'vic', 'gus', 'bot', 'zed'] as const
type Name = (typeof names)[number]
type Credentials = Pick<Person, 'id' | 'token'>

/** What there is to know about a world that is in the database. */
export interface CreatedWorld {
  slug: string
  workspaceKey: number
  general: Channel
  cast: Record<Name, Credentials>
  /** How many events its creation has made. */
  eventsCount: number
}

/**
 * A workspace with its cast, on a real server over HTTP:
 * root (admin), ada and bob (members), vic (viewer), gus (guest, in no channel), bot (an app with write scope),
 * and zed, the admin of another workspace. `general` is a public channel that root, ada and bob are in.
 */
export async function world(server?: Running) {
  const running = server ?? (await sharedServer())
  const prepared = server ? undefined : takePreparedWorld()
  const { slug, workspaceKey, general, cast, eventsCount } = prepared ?? (await createWorld(running))
  const person = (name: Name) => newPerson(running, cast[name])

  return {
    ...(Object.fromEntries(names.map((name) => [name, person(name)])) as Record<Name, Person>),
    general,
    server: running,
    baseUrl: running.url,
    slug,
    workspaceKey,
    /** The types of the events since the world was created, in order, without the events that fill inboxes some time later. */
    events: async () => (await readEvents()).slice(eventsCount).map(({ type }) => type),
    eventRows: async () => (await readEvents()).slice(eventsCount),
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

  async function readLog() {
    await running.parley.personalEvents.settled()
    return listLog(running, workspaceKey)
  }

  async function readEvents() {
    return (await readLog()).filter(isOfRequest)
  }
}

export type World = Awaited<ReturnType<typeof world>>

/** Creates a world in the database of a server. */
export async function createWorld(running: Running): Promise<CreatedWorld> {
  // In digits: an admin's address has it, and nobody is looked for by a part of it that could be a name.
  const slug = `w-${BigInt(`0x${crypto.randomUUID().replaceAll('-', '')}`)}`
  const home = await newWorkspace(running, slug, async (context) => ({
    ada: await newMember(context, 'Ada Lovelace', 'ada@example.com', 'member'),
    bob: await newMember(context, 'Bob Moore', 'bob@example.com', 'member'),
    vic: await newMember(context, 'Vic Viewer', 'vic@example.com', 'viewer'),
    gus: await newMember(context, 'Gus Guest', 'gus@example.com', 'guest'),
    bot: await newApp(context, 'Bot', ['write']),
  }))
  const away = await newWorkspace(running, `${slug}-away`, async () => ({}))
  const { key } = await running.parley.engine.read(async (db) => (await findWorkspace(db, slug))!)
  const { general, ...people } = home
  const eventsCount = (await listLog(running, key)).filter(isOfRequest).length
  return { slug, workspaceKey: key, general, cast: { ...people, zed: away.root }, eventsCount }
}

const listLog = (running: Running, workspaceKey: number) =>
  running.parley.engine.read((db) => listEvents(db, workspaceKey, 0, 100_000))

/** Whether an event was made by a request, and not by the job that fills inboxes some time later. */
const isOfRequest = ({ type, actor_key }: { type: string; actor_key: number }) =>
  type !== 'inbox.updated' || actor_key !== 0

async function newWorkspace<T extends Partial<Record<Name, Credentials>>>(
  running: Running,
  slug: string,
  cast: (context: WriteContext) => Promise<T>,
) {
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
    return withWriteContext(parley, db, operatorOf(workspace), async (context) => {
      const root = await newMember(context, 'Root Admin', `root@${slug}.example.com`, 'admin')
      const author = (await findAuthor(db, context.viewer, root.id))!
      const asRoot = {
        ...context,
        viewer: { ...context.viewer, author: { ...context.viewer.author, key: author.key, id: root.id } },
      }
      const general = await channels.create(asRoot, { name: 'general' })
      const people = await cast(context)
      const find = async () => (await findActiveChannel(db, asRoot.viewer, general.id))!
      for (const name of ['ada', 'bob'] as const) {
        const { id } = people[name] ?? {}
        if (id) await enterChannel(asRoot, await find(), (await findAuthor(db, asRoot.viewer, id))!)
      }
      // As if they had been here for a while: what is new to them is tested by itself.
      const setup_done = setupSteps.join()
      await db.updateTable('members').set({ setup_done }).where('workspace_key', '=', workspace.key).execute()
      return { root, general: toChannel(await find()), ...people }
    })
  })
}

async function newMember(context: WriteContext, name: string, email: string, role: Role): Promise<Credentials> {
  const { id } = await members.create(context, { email, display_name: name, role })
  return newCredentials(context, id, ['admin'])
}

async function newApp(context: WriteContext, name: string, scopes: Scope[]): Promise<Credentials> {
  const { id } = await apps.create(context, { name })
  return newCredentials(context, id, scopes)
}

async function newCredentials(
  context: WriteContext,
  id: string,
  scopes: Scope[],
  expires_at?: string,
): Promise<Credentials> {
  const author = (await findAuthor(context.db, context.viewer, id))!
  const { token } = await issueToken(context, author, { scopes, expires_at })
  return { id, token }
}

const newPerson = ({ url }: Running, { id, token }: Credentials): Person => ({
  ...createClient({ baseUrl: url, token }),
  id,
  token,
  baseUrl: url,
})

export async function tokenFor(
  running: Running,
  slug: string,
  id: string,
  scopes: Scope[],
  expires_at?: string,
): Promise<Person> {
  const { parley } = running
  const credentials = await parley.engine.write(async (db) => {
    const workspace = (await findWorkspace(db, slug))!
    return withWriteContext(parley, db, operatorOf(workspace), (context) =>
      newCredentials(context, id, scopes, expires_at),
    )
  })
  return newPerson(running, credentials)
}
