import { describe } from 'bun:test'
import { fold } from '../src/contract/browser/fold'
import { type Role, roles } from '../src/contract/members'
import type { Random } from './random-writes'
import { time } from './server'
import { both, testEveryPage } from './walk'
import type { World } from './world'

interface Member {
  id: string
  role: Role
  name: string
  email: string
  created_at: number
  last_seen_at: number
}

const NAMES = ['Ada', 'Zoë', 'Åsa "Å"', 'Straße', '100%', 'a_b', '日本語', '🙂', 'Łukasz', 'İpek']
const SEARCHES = [
  'a',
  'AD',
  'ada',
  'åsa',
  'STRASSE',
  '%',
  '0%',
  '_',
  'a_b',
  '"',
  '日本',
  '日本語',
  '🙂',
  'example.c',
  'x@y',
  'ŁUK',
]

/** The members of a new world, from the database: the API does not return last-seen times. */
async function listInitialMembers(cast: World): Promise<Member[]> {
  for (const who of ['root', 'ada', 'vic', 'gus', 'bot'] as const) await cast[who].me.get()
  await cast.server.parley.presence.settled()
  return cast.server.parley.engine.read((db) =>
    db
      .selectFrom('members as m')
      .innerJoin('authors as a', 'a.key', 'm.author_key')
      .innerJoin('users as u', 'u.key', 'm.user_key')
      .where('m.workspace_key', '=', cast.workspaceKey)
      .select(['m.id', 'm.role', 'a.name', 'u.email', 'm.created_at', 'm.last_seen_at'])
      .execute(),
  )
}

async function newSubject(cast: World, random: Random) {
  const { root, ada, bob, gus, general } = cast
  const members = await listInitialMembers(cast)
  /** These members read the lists, so their roles do not change. */
  const initial = new Set(members.map(({ id }) => id))
  /** Ids of the members the guest shares a channel or thread with. */
  const visibleToGuest = new Set([gus, root, ada, bob].map(({ id }) => id))
  await root.channels.addMember({ channel_id: general.id, member_id: gus.id })

  const change = {
    async invite() {
      const [name, email] = [`${random.pick(NAMES)} ${random.below(100)}`, `${crypto.randomUUID()}@example.com`]
      const role = random.pick(roles)
      const { id } = await root.members.create({ email, display_name: name, role })
      members.push({ id, role, name, email, created_at: time.now(), last_seen_at: time.now() })
    },
    async alter() {
      const member = random.pick(members.filter(({ id }) => !initial.has(id)))
      if (!member) return
      Object.assign(member, { role: random.pick(roles), name: `${random.pick(NAMES)} ${random.below(100)}` })
      await root.members.update({ id: member.id, role: member.role, display_name: member.name })
    },
    async see() {
      const member = random.pick(members)
      member.last_seen_at = time.now() - random.below(5)
      await cast.server.parley.engine.write((db) =>
        db.updateTable('members').set({ last_seen_at: member.last_seen_at }).where('id', '=', member.id).execute(),
      )
    },
    async meet() {
      const { id } = random.pick(members)
      if (visibleToGuest.has(id)) return
      visibleToGuest.add(id)
      if (random.below(2)) await root.channels.addMember({ channel_id: general.id, member_id: id })
      else await root.threads.create({ member_ids: [id, gus.id] })
    },
  }
  return {
    change: () => change[random.pick(['invite', 'invite', 'alter', 'see', 'meet'] as const)](),
    walks: () =>
      (['ada', 'vic', 'gus', 'bot'] as const).flatMap((who) =>
        (['created_at', 'last_seen_at'] as const).flatMap((sort) => {
          const wanted = random.below(2) ? roles.filter(() => random.below(2)) : []
          const q = random.below(3) ? undefined : random.pick(SEARCHES)
          return both((direction) => ({
            ask: (after, limit) =>
              cast[who].members.list({
                ...{ sort, direction, q, after, limit },
                ...(wanted.length > 0 && { roles: wanted }),
              }),
            entries: () =>
              members
                .filter(
                  ({ id, role }) =>
                    (who !== 'gus' || visibleToGuest.has(id)) && (wanted.length === 0 || wanted.includes(role)),
                )
                .filter(({ name, email }) => !q || [name, email].some((text) => fold(text).includes(fold(q))))
                .map((member) => ({ id: member.id, at: member[sort] })),
          }))
        }),
      ),
  }
}

describe('every page of members, both ways, without and with concurrent changes', () =>
  testEveryPage('members', newSubject))
