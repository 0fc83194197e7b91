import { expect } from 'bun:test'
import type { Channel } from '../../src/contract/channels'
import type { EventType } from '../../src/contract/event-types'
import type { Author } from '../../src/contract/shapes'
import { signedIn } from '../session/browser'
import type { Person, World } from '../world'

/** Who and what the calls of the registry are about. */
export interface Cast {
  world: World
  /** Creates the records, and may make every call. */
  author: Person
  /** In the threads of the author. */
  other: { id: string }
  /** Sees the channel, and is seen by the author and the other. */
  third: Person
  admin: Person
  /** The admin who owns the webhooks. */
  owner: Person
  /** A member whom everyone sees but guests outside. */
  member: { id: string }
  app: { id: string }
  channel: Channel
}

/** The cast of a world in which root makes all calls. */
export const castOf = (world: World): Cast => ({
  world,
  author: world.root,
  other: world.ada,
  third: world.bob,
  admin: world.root,
  owner: world.root,
  member: world.ada,
  app: world.bot,
  channel: world.general,
})

type Make<T> = (cast: Cast) => Promise<T>

export const nothing = async () => ({})

export const post = ({ author, channel }: Cast, content_markdown = 'Lunch?') =>
  author.posts.create({ channel_id: channel.id, content_markdown })
export const resolvedPost = async (cast: Cast) =>
  cast.author.posts.resolve({ post_id: (await post(cast)).id, content_markdown: 'Done.' })
/** A post that the author of the cast has not read. */
export const unreadPost = ({ third, channel }: Cast) =>
  third.posts.create({ channel_id: channel.id, content_markdown: 'Lunch?' })

export const comment = async (cast: Cast, content_markdown = 'Noon.') =>
  cast.author.comments.create({ post_id: (await post(cast)).id, content_markdown })

export const thread = ({ author, other }: Cast) => author.threads.create({ member_ids: [other.id] })

export const message = async (cast: Cast) =>
  cast.author.messages.create({ thread_id: (await thread(cast)).id, content_markdown: 'Hi' })

/** A channel like that of the cast, with the same members. */
export async function newChannel({ admin, author, other, channel: { is_private } }: Cast): Promise<Channel> {
  const channel = await admin.channels.create({ name: crypto.randomUUID(), private: is_private })
  for (const { id } of [author, other]) await admin.channels.addMember({ channel_id: channel.id, member_id: id })
  return channel
}

export const newEmail = () => `${crypto.randomUUID()}@example.com`
export const newMember = ({ admin }: Cast) =>
  admin.members.create({ email: newEmail(), display_name: 'Eve', role: 'member' })

export const app = ({ admin }: Cast) => admin.apps.create({ name: `App ${crypto.randomUUID()}` })

/** Nothing references it: only the author sees it. */
export const file = ({ author }: Cast) =>
  author.files.upload({ file: new Blob([crypto.randomUUID()], { type: 'text/plain' }), name: 'notes.txt' })

/** Nothing listens on this port. By default nothing is sent but pings: a delivery of each event would take long. */
export const webhook = ({ owner }: Cast, type: EventType = 'workspace.seeded') =>
  owner.webhooks.create({ url: 'http://127.0.0.1:9/hook', types: [type] })

/** A session of the author. */
export async function session({ world, author }: Cast) {
  await signedIn(world, author)
  return (await author.sessions.list()).data[0]!
}

/** A PNG of one pixel. */
export const picture = new Blob(
  [
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  { type: 'image/png' },
)

/** Inputs with the id of a record that is created. */
export const byId = (make: Make<{ id: string }>) => async (cast: Cast) => {
  const last = await make(cast)
  return { id: last.id, last }
}
export const ofPost = async (cast: Cast) => ({ post_id: (await post(cast)).id })
export const ofSubject = (make: Make<{ id: string }>) => async (cast: Cast) => ({ subject_id: (await make(cast)).id })
/** Inputs for lists that must contain the record. */
export const shown = (make: Make<{ id: string }>) => async (cast: Cast) => ({ shows: (await make(cast)).id })
export const shownByIds = (make: Make<{ id: string }>) => async (cast: Cast) => {
  const { id } = await make(cast)
  return { ids: [id], shows: id }
}

export const sameId = (output: { id: string }, { id }: { id: string }) => expect(output.id).toBe(id)
export const someRecords = ({ data }: { data: unknown[] }) => expect(data.length).toBeGreaterThan(0)

/** How a member is shown as an author. */
export async function memberAuthor({ admin }: Cast, id: string): Promise<Author> {
  const { user } = await admin.members.get({ id })
  return { avatar_urls: user.avatar_urls, name: user.display_name, id, type: 'member' }
}

/** How an app is shown as an author. */
export async function appAuthor({ admin }: Cast, id: string): Promise<Author> {
  const { avatar_urls, name } = (await admin.apps.list()).data.find((each) => each.id === id)!
  return { avatar_urls, name, id, type: 'app' }
}
