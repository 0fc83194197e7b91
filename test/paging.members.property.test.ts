import { describe } from 'bun:test'
import { fold } from '../src/contract/fold'
import { type Role, roles } from '../src/contract/members'
import type { Dice } from './random-writes'
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

/** Those who are there when a world begins, as the store has them: nobody is told when others were last seen. */
async function castOf(place: World): Promise<Member[]> {
  for (const who of ['root', 'ada', 'vic', 'gus', 'bot'] as const) await place[who].me.get()
  await place.server.parley.presence.settled()
  return place.server.parley.engine.read((db) =>
    db
      .selectFrom('members as m')
      .innerJoin('authors as a', 'a.key', 'm.author_key')
      .innerJoin('users as u', 'u.key', 'm.user_key')
      .where('m.workspace_key', '=', place.workspaceKey)
      .select(['m.id', 'm.role', 'a.name', 'u.email', 'm.created_at', 'm.last_seen_at'])
      .execute(),
  )
}

async function newSubject(place: World, dice: Dice) {
  const { root, gus, general } = place
  const members = await castOf(place)
  /** They look at the lists, so they stay who they are. */
  const cast = new Set(members.map(({ id }) => id))
  /** Whom the guest shares a channel or a thread with. */
  const met = new Set([gus.id, root.id])
  await root.channels.addMember({ channel_id: general.id, member_id: gus.id })

  const change = {
    async invite() {
      const [name, email] = [`${dice.of(NAMES)} ${dice.below(100)}`, `${crypto.randomUUID()}@example.com`]
      const role = dice.of(roles)
      const { id } = await root.members.create({ email, display_name: name, role })
      members.push({ id, role, name, email, created_at: time.now(), last_seen_at: time.now() })
    },
    async alter() {
      const member = dice.of(members.filter(({ id }) => !cast.has(id)))
      if (!member) return
      Object.assign(member, { role: dice.of(roles), name: `${dice.of(NAMES)} ${dice.below(100)}` })
      await root.members.update({ id: member.id, role: member.role, display_name: member.name })
    },
    async see() {
      const member = dice.of(members)
      member.last_seen_at = time.now() - dice.below(5)
      await place.server.parley.engine.write((db) =>
        db.updateTable('members').set({ last_seen_at: member.last_seen_at }).where('id', '=', member.id).execute(),
      )
    },
    async meet() {
      const { id } = dice.of(members)
      if (met.has(id)) return
      met.add(id)
      if (dice.below(2)) await root.channels.addMember({ channel_id: general.id, member_id: id })
      else await root.threads.create({ member_ids: [id, gus.id] })
    },
  }
  return {
    change: () => change[dice.of(['invite', 'invite', 'alter', 'see', 'meet'] as const)](),
    walks: () =>
      (['ada', 'vic', 'gus', 'bot'] as const).flatMap((who) =>
        (['created_at', 'last_seen_at'] as const).flatMap((sort) => {
          const wanted = dice.below(2) ? roles.filter(() => dice.below(2)) : []
          const q = dice.below(3) ? undefined : dice.of(SEARCHES)
          return both((direction) => ({
            ask: (after, limit) =>
              place[who].members.list({
                ...{ sort, direction, q, after, limit },
                ...(wanted.length > 0 && { roles: wanted }),
              }),
            entries: () =>
              members
                .filter(
                  ({ id, role }) => (who !== 'gus' || met.has(id)) && (wanted.length === 0 || wanted.includes(role)),
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
