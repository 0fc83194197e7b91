import { expect } from 'bun:test'
import type { Hook } from '../../src/contract/hooks'
import type { Caller } from '../torture/matrix-callers'
import { byId, type Cast, picture, sameId, shown, thread } from './cast'
import type { Entries } from './entry'
import { isManager, read, readList, write } from './rules'

const hook = ({ author, channel }: Cast) => author.hooks.create({ name: 'Grafana', channel_id: channel.id })

/** Not everyone who reads the log may know what the target is called. */
const announced = ({ target, ...hook }: Hook): Hook => ({ ...hook, target: { ...target, title: null } })
const current = async ({ cast, input: { id } }: { cast: Cast; input: { id: string } }) =>
  announced(await cast.author.hooks.get({ id }))

/** An incoming webhook is managed by its owner and by admins; only its owner can write with it. */
const isOfManagers = (caller: Caller) => (caller.isAuthor || isManager(caller) ? undefined : 'not_found')
const ofManagers = write('workspace', { except: isOfManagers })
const ofOwner = write('workspace', {
  except: (caller) => (caller.isAuthor ? undefined : isManager(caller) ? 'forbidden' : 'not_found'),
})
const notCounted = 'none: nothing counts them'

export const hooks: Entries<'hooks'> = {
  'hooks.list': {
    input: shown(hook),
    rule: readList('workspace', { except: (caller) => (isOfManagers(caller) ? 'hidden' : undefined) }),
  },
  'hooks.get': { input: byId(hook), rule: read('workspace', { except: isOfManagers }), check: sameId },
  'hooks.create': {
    input: async ({ channel }) => ({ name: 'Grafana', channel_id: channel.id }),
    rule: write('channel', {
      unseen: 'invalid_input',
      except: ({ role }) => (role === 'member' || role === 'admin' ? undefined : 'forbidden'),
    }),
    check: ({ url }) => expect(url).toContain('/hooks/parley_'),
    events: { 'hook.created': ({ output: { url: _, ...hook } }) => announced(hook) },
    again: 'same events',
    also: {
      'for a thread': {
        input: async (cast) => ({ name: 'Grafana', thread_id: (await thread(cast)).id }),
        rule: write('thread', {
          unseen: 'invalid_input',
          except: ({ role }) => (role === 'member' || role === 'admin' ? undefined : 'forbidden'),
        }),
        events: { 'hook.created': ({ output: { url: _, ...hook } }) => announced(hook) },
        again: 'same events',
      },
    },
    random: notCounted,
  },
  'hooks.update': {
    input: async (cast) => ({ id: (await hook(cast)).id, name: 'Alertmanager' }),
    rule: ofManagers,
    check: ({ name, author }) => expect([name, author.name]).toEqual(['Alertmanager', 'Alertmanager']),
    events: { 'hook.updated': ({ output }) => announced(output) },
    again: 'no event',
    random: notCounted,
  },
  'hooks.delete': {
    async input(cast) {
      const { url: _, ...last } = await hook(cast)
      return { id: last.id, last }
    },
    rule: ofManagers,
    events: { 'hook.deleted': ({ last }) => announced(last) },
    again: 'not_found',
    random: notCounted,
  },
  'hooks.setAvatar': {
    input: async (cast) => ({ id: (await hook(cast)).id, file: picture }),
    rule: ofManagers,
    events: { 'hook.updated': current },
    again: 'same events',
    random: notCounted,
  },
  'hooks.deleteAvatar': {
    async input(cast) {
      const { id } = await hook(cast)
      await cast.author.hooks.setAvatar({ id, file: picture })
      return { id }
    },
    rule: ofManagers,
    events: { 'hook.updated': current },
    again: 'no event',
    random: notCounted,
  },
  'hooks.rotateSecret': {
    input: byId(hook),
    rule: ofOwner,
    check: ({ url }) => expect(url).toContain('/hooks/parley_'),
    events: { 'hook.updated': ({ output: { url: _, ...hook } }) => announced(hook) },
    again: 'same events',
    random: notCounted,
  },
  'hooks.test': {
    input: byId(hook),
    rule: ofOwner,
    check: ({ type }) => expect(type).toBe('post'),
    events: { 'post.created': ({ cast, output: { id } }) => cast.author.posts.get({ id }) },
    again: 'same events',
    random: notCounted,
  },
}
