import { fold } from '../contract/browser/fold'
import { operatorOf } from '../domain/permissions'
import type { Parley } from '../gate/parley'
import { changeWorkspace } from '../store/changes/change'
import type { Writer } from '../store/engines/db'
import { setWorkspace } from '../store/people/workspaces'
import { restartBuild } from '../store/search/build'
import {
  findExisting,
  insertApps,
  insertChannels,
  insertPeople,
  insertPinAndSaves,
  insertPosts,
  insertThreads,
  type NewApp,
} from '../store/seed'
import { newChannels } from './channels'
import { newApps, newPeople, type SeededAuthor } from './people'
import { openPosts } from './posts'
import { newRandom } from './random'
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

/** Fills a workspace with realistic content. Returns the number of records of each type. */
export async function seedWorkspace(
  parley: Pick<Parley, 'engine' | 'clock' | 'links' | 'newId'>,
  workspace: Parameters<typeof operatorOf>[0] & { revision: number },
  options: SeedOptions,
  reportProgress: (posts: number) => void = () => {},
) {
  const { until } = options
  const before = await parley.engine.read((db) => findExisting(db, workspace.key, LISTENERS))
  const offset = before.isSeeded ? workspace.revision : 0
  const randomFor = (of: string) => newRandom(`${options.seed} ${offset} ${of}`)
  const made = { members: 0, channels: 0, posts: 0, comments: 0, threads: 0, messages: 0 }

  /** One transaction: the rows, their counters, and one event with their number. */
  const change = <T>(counts: Partial<typeof made>, work: (db: Writer) => Promise<T>): Promise<T> => {
    for (const [what, count] of Object.entries(counts)) made[what as keyof typeof made] += count
    return parley.engine.write((db) =>
      changeWorkspace(parley, db, operatorOf(workspace), async ({ announce }) => {
        announce('workspace.seeded', counts)
        return work(db)
      }),
    )
  }

  const authors = await seedAuthors()
  const channels = await seedChannels()
  await seedPosts()
  await seedThreads()
  await parley.engine.writeAlone(restartBuild)
  return made

  async function seedAuthors(): Promise<SeededAuthor[]> {
    const people = newPeople(randomFor('people'), options.members, until, (email) => before.emails.has(email))
    const seeded: SeededAuthor[] = []
    for (let from = 0; from < people.length; from += BATCH) {
      const batch = people.slice(from, from + BATCH)
      const keys = await change({ members: batch.length }, (db) => insertPeople(db, workspace.key, batch))
      seeded.push(...batch.map((person, at) => toAuthor(person, person.role, keys[at]!, from + at === 0)))
    }
    const apps = newApps(randomFor('apps'), APPS, until, (name) => before.apps.has(fold(name)))
    const keys = await change({}, (db) => insertApps(db, workspace.key, apps))
    return [...seeded, ...apps.map((app, at) => toAuthor(app, null, keys[at]!, false))]
  }

  async function seedChannels() {
    const isTaken = (nameFold: string) => before.channels.has(nameFold)
    const planned = newChannels(randomFor('channels'), options.channels, until, authors, isTaken)
    const keys = await change({ channels: planned.length }, async (db) => {
      // Nobody needs the checklist for a new workspace in one that is full.
      await setWorkspace(db, workspace.key, { is_set_up: true, updated_at: until })
      return insertChannels(db, workspace.key, planned)
    })
    return planned.map((channel, at) => ({ ...channel, key: keys[at]! }))
  }

  async function seedPosts() {
    const savedBy = before.admins.map(({ key }) => key)
    const nextPost = openPosts(randomFor('posts'), channels, options)
    while (made.posts < options.posts) {
      const posts = Array.from({ length: Math.min(BATCH, options.posts - made.posts) }, nextPost)
      const comments = posts.reduce((sum, post) => sum + post.comments.length, 0)
      const pinned = made.posts === 0 ? posts.findIndex(({ is_listed }) => is_listed) : -1
      await change({ posts: posts.length, comments }, async (db) => {
        const keys = await insertPosts(db, workspace.key, posts)
        const post = posts[pinned] && { ...posts[pinned], key: keys[pinned]! }
        if (post) await insertPinAndSaves(db, workspace.key, post, { savedBy, at: until })
      })
      reportProgress(made.posts)
    }
  }

  async function seedThreads() {
    const people = authors.filter(({ role }) => role !== null)
    const nextThread = openThreads(randomFor('threads'), people, before.admins, options)
    while (made.threads < options.threads) {
      const threads = Array.from({ length: Math.min(THREADS_BATCH, options.threads - made.threads) }, nextThread)
      const messages = threads.reduce((sum, thread) => sum + thread.messages.length, 0)
      await change({ threads: threads.length, messages }, (db) => insertThreads(db, workspace.key, threads))
    }
  }
}

const toAuthor = (
  { id, name, created_at: joined_at }: NewApp,
  role: SeededAuthor['role'],
  key: number,
  isFounder: boolean,
): SeededAuthor => ({ key, id, name, role, joined_at, isFounder })
