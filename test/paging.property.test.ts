import { describe } from 'bun:test'
import { fold } from '../src/contract/browser/fold'
import { naturalKey } from '../src/contract/browser/natural-order'
import type { Random } from './random-writes'
import { time } from './server'
import { both, type Entry, testEveryPage } from './walk'

const NAMES = ['Ada', 'adam', 'Zoë', 'zoe "Z"', 'Ångström', 'Straße', '100%', 'a_b', '日本語', '🙂 smile', 'Ø']

const take = <T>(list: T[], random: Random): T | undefined => list.splice(random.below(Math.max(1, list.length)), 1)[0]

const subjects: Record<string, Parameters<typeof testEveryPage>[1]> = {
  async comments({ ada, root, general }, random) {
    interface Comment extends Entry {
      parent?: Comment
      isDeleted: boolean
    }
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Discuss' })
    let comments: Comment[] = []
    const repliesOf = (comment: Comment) => comments.filter(({ parent }) => parent === comment)
    const drop = (gone: Comment) => {
      comments = comments.filter((comment) => comment !== gone)
    }
    const chosen = (parent?: Comment | 'root') =>
      parent === undefined
        ? comments
        : comments.filter((each) => each.parent === (parent === 'root' ? undefined : parent))
    let held: Comment | undefined
    return {
      async change() {
        const alive = comments.filter((comment) => !comment.isDeleted)
        const victim = random.below(3) === 0 ? random.pick(alive) : undefined
        if (!victim || victim === held) {
          const parent = random.below(2) ? random.pick(alive.filter((each) => !each.parent)) : undefined
          const words = { post_id: post.id, content_markdown: 'Hm', parent_id: parent?.id }
          const { id } = await ada.comments.create(words)
          return comments.push({ id, at: time.now(), parent, isDeleted: false })
        }
        await root.comments.delete({ id: victim.id })
        if (repliesOf(victim).length > 0) victim.isDeleted = true
        else drop(victim)
        if (victim.parent?.isDeleted && repliesOf(victim.parent).length === 0) drop(victim.parent)
      },
      walks() {
        held = comments.find((comment) => !comment.isDeleted && repliesOf(comment).length > 2)
        return [undefined, 'root' as const, ...(held ? [held] : [])].flatMap((parent) =>
          both((direction) => ({
            ask: (after, limit) =>
              ada.comments.list({
                ...{ post_id: post.id, direction, after, limit },
                parent_id: typeof parent === 'object' ? parent.id : parent,
              }),
            entries: () => [...chosen(parent)],
          })),
        )
      },
    }
  },

  async messages({ ada, bob }, random) {
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    const messages: Entry[] = []
    return {
      async change() {
        const gone = random.below(3) === 0 ? take(messages, random) : undefined
        if (gone) return ada.messages.delete({ id: gone.id })
        const { id } = await ada.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
        messages.push({ id, at: time.now() })
      },
      walks: () =>
        both((direction) => ({
          ask: (after, limit) => bob.messages.list({ thread_id: thread.id, direction, after, limit }),
          entries: () => [...messages],
        })),
    }
  },

  async threads({ ada, bob, gus }, random) {
    const threads: (Entry & { has: string[] })[] = []
    return {
      async change() {
        const moved = random.below(2) ? random.pick(threads) : undefined
        if (moved) {
          await ada.messages.create({ thread_id: moved.id, content_markdown: 'Hi' })
          moved.at = time.now()
          return
        }
        const others = [bob.id, gus.id].filter(() => random.below(2))
        const { id } = await ada.threads.create({ member_ids: others })
        threads.push({ id, at: time.now(), has: [ada.id, ...others] })
      },
      walks: () =>
        [ada, bob, gus].flatMap((who) =>
          both((direction) => ({
            ask: (after, limit) => who.threads.list({ direction, after, limit }),
            entries: () => threads.filter(({ has }) => has.includes(who.id)),
          })),
        ),
    }
  },

  async channels(cast, random) {
    interface Channel {
      id: string
      name: string
      created_at: number
      isPrivate: boolean
      isArchived: boolean
      has: string[]
      last_activity_at: number
    }
    const { root } = cast
    const { id: generalId, created_at: since } = cast.general
    const born = { id: generalId, name: 'general', created_at: Date.parse(since), isPrivate: false, isArchived: false }
    const channels: Channel[] = [
      { ...born, has: [root.id, cast.ada.id, cast.bob.id], last_activity_at: born.created_at },
    ]
    const now = () => ({ created_at: time.now(), last_activity_at: time.now() })
    const change = {
      async publish() {
        const channel = random.pick(channels.filter(({ isArchived }) => !isArchived))
        if (!channel) return
        await root.posts.create({ channel_id: channel.id, content_markdown: 'Hello' })
        channel.last_activity_at = time.now()
      },
      async make() {
        const made = { name: `${random.pick(NAMES)} ${random.below(1e6)}`, isPrivate: random.below(2) === 1 }
        const { id } = await root.channels.create({ name: made.name, private: made.isPrivate })
        channels.push({ id, ...made, ...now(), isArchived: false, has: [root.id] })
      },
      async alter() {
        const channel = random.pick(channels)
        const to = {
          isArchived: random.below(3) === 0,
          isPrivate: random.below(2) === 1,
          name: `${random.pick(NAMES)} ${random.below(1e6)}`,
        }
        Object.assign(channel, to)
        await root.channels.update({ id: channel.id, name: to.name, private: to.isPrivate, archived: to.isArchived })
      },
      async join() {
        const channel = random.pick(channels.filter(({ isArchived }) => !isArchived))
        const { id } = cast[random.pick(['ada', 'gus', 'vic'] as const)]
        if (!channel || channel.has.includes(id)) return
        channel.has.push(id)
        await root.channels.addMember({ channel_id: channel.id, member_id: id })
      },
    }
    return {
      change: () => change[random.pick(['make', 'make', 'alter', 'join', 'publish'] as const)](),
      walks: () =>
        (['root', 'ada', 'gus', 'vic'] as const).flatMap((who) =>
          (['created_at', 'name', 'last_activity_at'] as const).flatMap((sort) => {
            const q = random.pick([undefined, 'a', 'Å', '%', 'STRASSE', '🙂', '1'])
            const archived = who === 'root' && random.below(3) === 0
            return both((direction) => ({
              ask: (after, limit) =>
                cast[who].channels.list({ sort, direction, q, after, limit, ...(archived && { archived }) }),
              entries: () =>
                channels
                  .filter((channel) => channel.isArchived === archived && fold(channel.name).includes(fold(q ?? '')))
                  .filter(({ has, isPrivate }) => has.includes(cast[who].id) || (!isPrivate && who !== 'gus'))
                  .map((channel) => ({
                    id: channel.id,
                    at: sort === 'name' ? naturalKey(fold(channel.name)) : channel[sort],
                  })),
            }))
          }),
        ),
    }
  },

  async 'channel members'({ root, ada, bob, general, bot }, random) {
    const since = Date.parse(general.created_at)
    const members: Entry[] = [root, ada, bob].map(({ id }) => ({ id, at: since }))
    const outside = [bot.id]
    return {
      async change() {
        if (random.below(4) === 0) {
          const { id } = await root.apps.create({ name: `app ${random.below(1e9)}` })
          outside.push(id)
        }
        const leaver = random.below(4) === 0 ? take(members, random) : undefined
        if (leaver) outside.push(leaver.id)
        if (leaver) return root.channels.removeMember({ channel_id: general.id, member_id: leaver.id })
        const id = take(outside, random)
        if (!id) return
        members.push({ id, at: time.now() })
        await root.channels.addMember({ channel_id: general.id, member_id: id })
      },
      walks: () =>
        both((direction) => ({
          ask: (after, limit) => ada.channels.members({ channel_id: general.id, direction, after, limit }),
          entries: () => [...members],
        })),
    }
  },

  async apps({ root }, random) {
    const apps = (await root.apps.list()).data.map(({ id, created_at }): Entry => ({ id, at: Date.parse(created_at) }))
    return {
      async change() {
        const gone = random.below(3) === 0 ? take(apps, random) : undefined
        if (gone) return root.apps.delete({ id: gone.id })
        const { id } = await root.apps.create({ name: `app ${random.below(1e9)}` })
        apps.push({ id, at: time.now() })
      },
      walks: () =>
        both((direction) => ({
          ask: (after, limit) => root.apps.list({ direction, after, limit }),
          entries: () => [...apps],
        })),
    }
  },

  async tokens({ root, ada, bot }, random) {
    const ofApp: Entry[] = []
    const mine: Entry[] = []
    const [own] = (await ada.tokens.listMine()).data
    const first = (await root.apps.listTokens({ id: bot.id })).data.map(({ id, created_at }) => ({
      id,
      at: Date.parse(created_at),
    }))
    const kept = { id: own!.id, at: Date.parse(own!.created_at) }
    return {
      async change() {
        const list = random.pick([ofApp, mine])
        const gone = random.below(3) === 0 ? take(list, random) : undefined
        if (gone) return root.tokens.delete({ id: gone.id })
        const made = await (list === mine
          ? ada.tokens.createMine({ scopes: ['read'] })
          : root.apps.createToken({ id: bot.id, scopes: ['read'] }))
        list.push({ id: made.id, at: time.now() })
      },
      walks: () => [
        ...both((direction) => ({
          ask: (after, limit) => ada.tokens.listMine({ direction, after, limit }),
          entries: () => [kept, ...mine],
        })),
        ...both((direction) => ({
          ask: (after, limit) => root.apps.listTokens({ id: bot.id, direction, after, limit }),
          entries: () => [...first, ...ofApp],
        })),
      ],
    }
  },
}

describe('every page, both ways, without and with concurrent changes', () => {
  for (const [name, newSubject] of Object.entries(subjects)) testEveryPage(name, newSubject)
})
