import { expect } from 'bun:test'
import type { Caller } from '../torture/matrix-callers'
import { byId, type Cast, memberAuthor, newChannel, newMember, sameId } from './cast'
import { type Entries, returned } from './entry'
import { admin, anyRole, isManager, read, readList, write } from './rules'

const withNewMember = async (cast: Cast) => ({ channel_id: cast.channel.id, member_id: (await newMember(cast)).id })
const ofNewChannel = async (cast: Cast) => ({ channel_id: (await newChannel(cast)).id })

/** Who has come or gone, and the channel since then. */
const membership = async ({ cast, input }: { cast: Cast; input: { channel_id: string; member_id?: string } }) => ({
  channel: await cast.admin.channels.get({ id: input.channel_id }),
  member: await memberAuthor(cast, input.member_id ?? cast.author.id),
})

/** Members create public channels. */
const mayCreate = ({ role, scope }: Pick<Caller, 'role' | 'scope'>) =>
  role === 'admin' || role === 'member' || (role === 'app' && scope === 'admin')
/** None of the callers has created the channel: test/channels/creators.test.ts is about who has. */
const ofManagers = write('channel', { except: (caller) => (isManager(caller) ? undefined : 'forbidden') })

export const channels: Entries<'channels'> = {
  'channels.list': { input: async ({ channel }) => ({ shows: channel.id }), rule: readList('channel') },
  'channels.get': { input: async ({ channel }) => ({ id: channel.id }), rule: read('channel'), check: sameId },
  'channels.create': {
    input: async () => ({ name: crypto.randomUUID() }),
    rule: write('self', { except: ({ role, scope }) => (mayCreate({ role, scope }) ? undefined : 'forbidden') }),
    check: ({ name }, input) => expect(name).toBe(input.name),
    events: { 'channel.created': returned },
    again: 'name_taken',
    random: ({ name, below }) => ({ name: name(), private: below(2) === 1 }),
  },
  'channels.update': {
    input: async ({ channel }) => ({ id: channel.id, name: crypto.randomUUID() }),
    rule: ofManagers,
    check: ({ name }, input) => expect(name).toBe(input.name!),
    events: { 'channel.updated': returned },
    again: 'no event',
    random: ({ one, channels, pick, name }) => ({
      id: one(channels),
      ...pick([{ private: true }, { private: false }, { archived: false }, { archived: true }, { name: name() }]),
    }),
  },
  'channels.delete': {
    input: byId(newChannel),
    rule: admin('channel'),
    events: {
      'channel.deleted': async ({ cast, input }) =>
        (await cast.admin.channels.list({ archived: true })).data.find(({ id }) => id === input.id)!,
    },
    again: 'not_found',
    random: ({ one, channels }) => ({ id: one(channels) }),
  },
  'channels.members': {
    input: async ({ channel, author }) => ({ channel_id: channel.id, shows: author.id }),
    rule: read('channel'),
  },
  'channels.join': {
    async input(cast) {
      const { id, is_private } = await newChannel(cast)
      if (!is_private) await cast.author.channels.leave({ channel_id: id })
      return { channel_id: id }
    },
    rule: anyRole('channel'),
    events: { 'channel.member_added': membership },
    again: 'no event',
    random: ({ one, channels }) => ({ channel_id: one(channels) }),
  },
  'channels.leave': {
    input: ofNewChannel,
    rule: anyRole('channel'),
    events: { 'channel.member_removed': membership },
    again: 'no event',
    random: ({ one, channels }) => ({ channel_id: one(channels) }),
  },
  'channels.addMember': {
    input: withNewMember,
    rule: ofManagers,
    events: { 'channel.member_added': membership },
    again: 'no event',
    random: ({ one, channels, someone }) => ({ channel_id: one(channels), member_id: someone() }),
  },
  'channels.removeMember': {
    async input(cast) {
      const input = await withNewMember(cast)
      await cast.admin.channels.addMember(input)
      return input
    },
    rule: ofManagers,
    events: { 'channel.member_removed': membership },
    again: 'not_found',
    random: ({ one, channels, someone }) => ({ channel_id: one(channels), member_id: someone() }),
  },
}
