import { afterEach, test } from 'bun:test'
import fc from 'fast-check'
import { isTypeId } from '../src/domain/ids'
import { newRandom, type Random } from './random-writes'
import { time } from './server'
import { limits, runs, walk } from './walk'
import { type World, world } from './world'

afterEach(() => time.unfreeze())

interface Channel {
  id: string
  isPrivate: boolean
  isArchived: boolean
  members: Set<string>
}

interface Post {
  id: string
  channel: Channel
  published_at: number
  last_activity_at: number
  isResolved: boolean
}

/** A workspace, and the expected state of its channels and posts. */
interface Model {
  cast: World
  channels: Channel[]
  posts: Post[]
}

const viewers = ['root', 'ada', 'vic', 'gus', 'bot'] as const
type Name = (typeof viewers)[number]

const sees = (model: Model, who: Name, { isArchived, isPrivate, members }: Channel) =>
  !isArchived && (members.has(model.cast[who].id) || (!isPrivate && who !== 'gus'))

/** Advances the clock by at most two milliseconds, so that many records have the same time. */
const tick = (random: Random) => time.advance(random.pick([0, 0, 0, 1, 1, 2]))

const changes: Record<string, (model: Model, random: Random) => Promise<unknown>> = {
  async publish({ cast, channels, posts }, random) {
    const channel = random.pick(channels.filter((each) => !each.isArchived))
    if (!channel) return
    const { id } = await cast.root.posts.create({ channel_id: channel.id, content_markdown: 'Hello' })
    posts.push({ id, channel, published_at: time.now(), last_activity_at: time.now(), isResolved: false })
  },
  async comment(model, random) {
    const post = random.pick(reachable(model))
    if (!post) return
    await model.cast.root.comments.create({ post_id: post.id, content_markdown: 'Indeed' })
    post.last_activity_at = time.now()
  },
  async resolve(model, random) {
    const post = random.pick(reachable(model))
    if (!post) return
    await model.cast.root.posts.resolve({ post_id: post.id })
    Object.assign(post, { isResolved: true, last_activity_at: time.now() })
  },
  async unresolve(model, random) {
    const post = random.pick(reachable(model).filter(({ isResolved }) => isResolved))
    if (!post) return
    await model.cast.root.posts.unresolve({ post_id: post.id })
    Object.assign(post, { isResolved: false, last_activity_at: time.now() })
  },
  async remove(model, random) {
    const post = random.pick(reachable(model))
    if (!post) return
    await model.cast.root.posts.delete({ id: post.id })
    model.posts.splice(model.posts.indexOf(post), 1)
  },
  async close({ cast, channels }, random) {
    const channel = random.pick(channels)
    channel.isPrivate = random.below(2) === 1
    await cast.root.channels.update({ id: channel.id, private: channel.isPrivate })
  },
  async archive({ cast, channels }, random) {
    const channel = random.pick(channels.slice(1))
    channel.isArchived = random.below(3) === 0
    await cast.root.channels.update({ id: channel.id, archived: channel.isArchived })
  },
  async join({ cast, channels }, random) {
    const channel = random.pick(channels.filter((each) => !each.isArchived))
    const { id } = cast[random.pick(viewers.slice(1))]
    const [channel_id, member_id] = [channel.id, id]
    if (channel.members.delete(id)) return cast.root.channels.removeMember({ channel_id, member_id })
    channel.members.add(id)
    return cast.root.channels.addMember({ channel_id, member_id })
  },
}

const reachable = ({ posts }: Model) => posts.filter(({ channel }) => !channel.isArchived)

async function newModel(random: Random, size: number): Promise<Model> {
  const cast = await world()
  const model: Model = { cast, channels: [], posts: [] }
  for (let at = 0; at < 4; at++) {
    const isPrivate = at % 2 === 1
    const { id } = await cast.root.channels.create({ name: `channel ${at}`, private: isPrivate })
    model.channels.push({ id, isPrivate, isArchived: false, members: new Set([cast.root.id]) })
  }
  for (let at = 0; at < 6; at++) await changes.join!(model, random)
  for (let at = 0; at < size; at++) {
    tick(random)
    await changes[random.pick(['publish', 'publish', 'publish', 'comment', 'resolve', 'unresolve'])]!(model, random)
  }
  return model
}

/** All combinations of viewer, filter and order. */
const queries = fc.record({
  who: fc.constantFrom(...viewers),
  sort: fc.constantFrom('published_at' as const, 'last_activity_at' as const),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  resolved: fc.constantFrom(undefined, true, false),
  channel: fc.constantFrom(undefined, undefined, 0, 1, 2, 3),
  sizes: limits,
})
type Query = typeof queries extends fc.Arbitrary<infer Q> ? Q : never

async function walkPosts(model: Model, { who, sort, direction, resolved, channel, sizes }: Query, change?: Change) {
  const only = channel === undefined ? undefined : model.channels[channel]!
  if (only && !sees(model, who, only)) return
  await walk(
    {
      direction,
      change,
      ask: (after, limit) =>
        // Sort and direction are optional with a cursor.
        model.cast[who].posts.list({
          ...(after && !isTypeId(after) && limit % 2 ? {} : { sort, direction }),
          ...{ resolved, channel_id: only?.id, after, limit },
        }),
      entries: () =>
        model.posts
          .filter((post) => sees(model, who, post.channel) && (!only || post.channel === only))
          .filter((post) => resolved === undefined || post.isResolved === resolved)
          .map((post) => ({ at: post[sort], id: post.id })),
    },
    sizes,
  )
}
type Change = () => Promise<unknown>

test('posts: every page, both ways, for every viewer, order and filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 0, max: 70 }),
      fc.array(queries, { minLength: 12, maxLength: 24 }),
      async (seed, size, asked) => {
        time.freeze()
        const model = await newModel(newRandom(seed), size)
        for (const query of asked) await walkPosts(model, query)
      },
    ),
    { numRuns: runs(14), endOnFailure: true },
  )
}, 300_000)

test('posts: every page while posts and the visibility of channels change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 10, max: 60 }),
      fc.array(queries, { minLength: 4, maxLength: 8 }),
      async (seed, size, asked) => {
        time.freeze()
        const random = newRandom(seed)
        const model = await newModel(random, size)
        for (const query of asked) {
          let left = 12
          await walkPosts(model, query, async () => {
            if (left-- <= 0) return
            tick(random)
            const names = Object.keys(changes).filter(
              (name) => query.channel === undefined || !VISIBILITY.includes(name),
            )
            await changes[random.pick(names)]!(model, random)
          })
        }
      },
    ),
    { numRuns: runs(14), endOnFailure: true },
  )
}, 300_000)

/** Changes that can make a channel invisible. */
const VISIBILITY = ['close', 'archive', 'join']
