import { afterEach, test } from 'bun:test'
import fc from 'fast-check'
import { type Dice, diceFrom } from './random-writes'
import { time } from './server'
import { limits, runs, walk } from './walk'
import { type World, world } from './world'

afterEach(() => time.thaw())

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

/** The same workspace twice: in the store, and as plain lists. */
interface Twin {
  place: World
  channels: Channel[]
  posts: Post[]
}

const viewers = ['root', 'ada', 'vic', 'gus', 'bot'] as const
type Name = (typeof viewers)[number]

const sees = (twin: Twin, who: Name, { isArchived, isPrivate, members }: Channel) =>
  !isArchived && (members.has(twin.place[who].id) || (!isPrivate && who !== 'gus'))

/** Lets nothing, one or a few milliseconds pass, so that many records share a moment. */
const tick = (dice: Dice) => time.pass(dice.of([0, 0, 0, 1, 1, 2]))

const changes: Record<string, (twin: Twin, dice: Dice) => Promise<unknown>> = {
  async publish({ place, channels, posts }, dice) {
    const channel = dice.of(channels.filter((each) => !each.isArchived))
    if (!channel) return
    const { id } = await place.root.posts.create({ channel_id: channel.id, content_markdown: 'Hello' })
    posts.push({ id, channel, published_at: time.now(), last_activity_at: time.now(), isResolved: false })
  },
  async comment(twin, dice) {
    const post = dice.of(reachable(twin))
    if (!post) return
    await twin.place.root.comments.create({ post_id: post.id, content_markdown: 'Indeed' })
    post.last_activity_at = time.now()
  },
  async resolve(twin, dice) {
    const post = dice.of(reachable(twin))
    if (!post) return
    await twin.place.root.posts.resolve({ post_id: post.id })
    Object.assign(post, { isResolved: true, last_activity_at: time.now() })
  },
  async unresolve(twin, dice) {
    const post = dice.of(reachable(twin).filter(({ isResolved }) => isResolved))
    if (!post) return
    await twin.place.root.posts.unresolve({ post_id: post.id })
    Object.assign(post, { isResolved: false, last_activity_at: time.now() })
  },
  async remove(twin, dice) {
    const post = dice.of(reachable(twin))
    if (!post) return
    await twin.place.root.posts.delete({ id: post.id })
    twin.posts.splice(twin.posts.indexOf(post), 1)
  },
  async close({ place, channels }, dice) {
    const channel = dice.of(channels)
    channel.isPrivate = dice.below(2) === 1
    await place.root.channels.update({ id: channel.id, private: channel.isPrivate })
  },
  async archive({ place, channels }, dice) {
    const channel = dice.of(channels.slice(1))
    channel.isArchived = dice.below(3) === 0
    await place.root.channels.update({ id: channel.id, archived: channel.isArchived })
  },
  async join({ place, channels }, dice) {
    const channel = dice.of(channels.filter((each) => !each.isArchived))
    const { id } = place[dice.of(viewers.slice(1))]
    const [channel_id, member_id] = [channel.id, id]
    if (channel.members.delete(id)) return place.root.channels.removeMember({ channel_id, member_id })
    channel.members.add(id)
    return place.root.channels.addMember({ channel_id, member_id })
  },
}

const reachable = ({ posts }: Twin) => posts.filter(({ channel }) => !channel.isArchived)

async function newTwin(dice: Dice, size: number): Promise<Twin> {
  const place = await world()
  const twin: Twin = { place, channels: [], posts: [] }
  for (let at = 0; at < 4; at++) {
    const isPrivate = at % 2 === 1
    const { id } = await place.root.channels.create({ name: `channel ${at}`, private: isPrivate })
    twin.channels.push({ id, isPrivate, isArchived: false, members: new Set([place.root.id]) })
  }
  for (let at = 0; at < 6; at++) await changes.join!(twin, dice)
  for (let at = 0; at < size; at++) {
    tick(dice)
    await changes[dice.of(['publish', 'publish', 'publish', 'comment', 'resolve', 'unresolve'])]!(twin, dice)
  }
  return twin
}

/** A list of posts as one asks for it: every filter and order, by anyone. */
const queries = fc.record({
  who: fc.constantFrom(...viewers),
  sort: fc.constantFrom('published_at' as const, 'last_activity_at' as const),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  resolved: fc.constantFrom(undefined, true, false),
  channel: fc.constantFrom(undefined, undefined, 0, 1, 2, 3),
  sizes: limits,
})
type Query = typeof queries extends fc.Arbitrary<infer Q> ? Q : never

async function walkPosts(twin: Twin, { who, sort, direction, resolved, channel, sizes }: Query, change?: Change) {
  const only = channel === undefined ? undefined : twin.channels[channel]!
  if (only && !sees(twin, who, only)) return
  await walk(
    {
      direction,
      change,
      ask: (after, limit) =>
        // Sent with the cursor, or left to it: both are the same list.
        twin.place[who].posts.list({
          ...(after && limit % 2 ? {} : { sort, direction }),
          ...{ resolved, channel_id: only?.id, after, limit },
        }),
      entries: () =>
        twin.posts
          .filter((post) => sees(twin, who, post.channel) && (!only || post.channel === only))
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
        const twin = await newTwin(diceFrom(seed), size)
        for (const query of asked) await walkPosts(twin, query)
      },
    ),
    { numRuns: runs(14), endOnFailure: true },
  )
}, 120_000)

test('posts: every page while posts and the visibility of channels change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 10, max: 60 }),
      fc.array(queries, { minLength: 4, maxLength: 8 }),
      async (seed, size, asked) => {
        time.freeze()
        const dice = diceFrom(seed)
        const twin = await newTwin(dice, size)
        for (const query of asked) {
          let left = 12
          await walkPosts(twin, query, async () => {
            if (left-- <= 0) return
            tick(dice)
            const names = Object.keys(changes).filter(
              (name) => query.channel === undefined || !VISIBILITY.includes(name),
            )
            await changes[dice.of(names)]!(twin, dice)
          })
        }
      },
    ),
    { numRuns: runs(14), endOnFailure: true },
  )
}, 120_000)

/** Changes after which the list of one channel may be none at all any more. */
const VISIBILITY = ['close', 'archive', 'join']
