import type { WriteContext } from '../actions/context'
import { fold } from '../contract/fold'
import type { Parley } from '../gate/parley'
import { changeWorkspace } from '../gate/write'
import { operatorOf } from '../setup/operator'
import { restartBuild } from '../store/search/build'
import { findTaken, hasSeed, listFirstAdmins } from '../store/seed/before'
import { insertChannels } from '../store/seed/channels'
import { insertApps, insertPeople, type NewPerson, type SeededAuthor } from '../store/seed/people'
import { insertPosts } from '../store/seed/posts'
import { insertPinAndSaves } from '../store/seed/saved'
import { insertThreads } from '../store/seed/threads'
import { setWorkspace } from '../store/workspaces'
import { newChannels, newWritableChannel } from './channels'
import { newApps, newPeople } from './people'
import { openPosts } from './posts'
import { newRandom } from './random'
import { openText } from './text'
import { openThreads } from './threads'

export interface SeedOptions {
  posts: number
  channels: number
  members: number
  /** Each n-th post has comments. */
  commentsEvery: number
  threads: number
  /** The same seed gives the same content. */
  seed: number
  /** The content is from the two years before this time. */
  until: number
}

/** Small enough not to block a running server, large enough for few commits. */
const BATCH = 5_000
const THREADS_BATCH = 100
const APPS = 4
const LISTENERS = 3

type Workspace = Parameters<typeof operatorOf>[0] & { revision: number }
type ReportProgress = (done: number) => void

/** Fills a workspace with realistic content. Returns the number of records of each type. */
export async function seedWorkspace(
  parley: Pick<Parley, 'engine' | 'clock' | 'links' | 'newId'>,
  workspace: Workspace,
  options: SeedOptions,
  tell: ReportProgress = () => {},
) {
  const { until } = options
  const before = await parley.engine.read(async (db) => ({
    taken: await findTaken(db, workspace.key),
    listeners: await listFirstAdmins(db, workspace.key, LISTENERS),
    offset: (await hasSeed(db, workspace.key)) ? workspace.revision : 0,
  }))
  const randomFor = (of: string) => newRandom(`${options.seed} ${before.offset} ${of}`)
  const made = { members: 0, channels: 0, posts: 0, comments: 0, threads: 0, messages: 0 }

  /** One transaction: the rows, their counters, and one event with their number. */
  const change = <T>(counts: Partial<typeof made>, work: (db: WriteContext['db']) => Promise<T>): Promise<T> => {
    for (const [what, count] of Object.entries(counts)) made[what as keyof typeof made] += count
    return parley.engine.write((db) =>
      changeWorkspace(parley, db, operatorOf(workspace), async ({ announce }) => {
        announce('workspace.seeded', counts)
        return work(db)
      }),
    )
  }

  const authors = await seedAuthors()
  const places = await seedChannels()
  await seedPosts()
  await seedThreads()
  await parley.engine.writeAlone(restartBuild)
  return made

  async function seedAuthors(): Promise<SeededAuthor[]> {
    const people = newPeople(randomFor('people'), options.members, until, (email) => before.taken.emails.has(email))
    const seeded: SeededAuthor[] = []
    for (const batch of batches(people, BATCH)) {
      const keys = await change({ members: batch.length }, (db) => insertPeople(db, workspace.key, batch))
      seeded.push(...batch.map((person, at) => authorOf(person, keys[at]!, seeded.length + at === 0)))
    }
    const apps = newApps(randomFor('apps'), APPS, until, (name) => before.taken.apps.has(fold(name)))
    const keys = await change({}, (db) => insertApps(db, workspace.key, apps))
    const appAuthors = apps.map((app, at) => authorOf({ ...app, role: null }, keys[at]!, false))
    return [...seeded, ...appAuthors]
  }

  async function seedChannels() {
    const isTaken = (nameFold: string) => before.taken.channels.has(nameFold)
    const channels = newChannels(randomFor('channels'), options.channels, until, authors, isTaken)
    const keys = await change({ channels: channels.length }, async (db) => {
      // Nobody needs the checklist for a new workspace in one that is full.
      await setWorkspace(db, workspace.key, { is_set_up: true, updated_at: until })
      return insertChannels(db, workspace.key, channels)
    })
    return channels.map((channel, at) => newWritableChannel(channel, keys[at]!, authors))
  }

  async function seedPosts() {
    const adminKeys = before.listeners.map(({ key }) => key)
    const nextPost = openPosts(randomFor('posts'), openText(), places, options)
    while (made.posts < options.posts) {
      const posts = Array.from({ length: Math.min(BATCH, options.posts - made.posts) }, nextPost)
      const comments = posts.reduce((sum, post) => sum + post.comments.length, 0)
      const pinned = made.posts === 0 ? posts.find(({ channel }) => channel.is_listed) : undefined
      await change({ posts: posts.length, comments }, async (db) => {
        await insertPosts(db, workspace.key, posts)
        if (pinned) await insertPinAndSaves(db, workspace.key, pinned, { savedBy: adminKeys, at: until })
      })
      tell(made.posts)
    }
  }

  async function seedThreads() {
    const people = authors.filter(({ role }) => role !== null)
    const listeners = before.listeners.map((admin) => ({ ...admin, isFounder: false }))
    const nextThread = openThreads(randomFor('threads'), openText(), people, listeners, options)
    while (made.threads < options.threads) {
      const threads = Array.from({ length: Math.min(THREADS_BATCH, options.threads - made.threads) }, nextThread)
      const messages = threads.reduce((sum, thread) => sum + thread.messages.length, 0)
      await change({ threads: threads.length, messages }, (db) => insertThreads(db, workspace.key, threads))
    }
  }
}

function authorOf(
  author: Pick<NewPerson, 'id' | 'name' | 'created_at'> & { role: SeededAuthor['role'] },
  key: number,
  isFounder: boolean,
): SeededAuthor {
  return { key, id: author.id, name: author.name, role: author.role, joined_at: author.created_at, isFounder }
}

function* batches<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}
