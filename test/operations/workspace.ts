import { expect } from 'bun:test'
import { type Cast, nothing, picture } from './cast'
import { type Entries, returned } from './entry'
import { admin, read } from './rules'

const current = ({ cast }: { cast: Cast }) => cast.admin.workspace.get()
const notCounted = 'none: nothing else depends on it'

export const workspace: Entries<'workspace'> = {
  'workspace.get': { input: nothing, rule: read('self'), check: ({ icon_url }) => expect(icon_url).toBeNull() },
  'workspace.update': {
    input: async () => ({ name: crypto.randomUUID() }),
    rule: admin('self'),
    check: ({ name }, input) => expect(name).toBe(input.name!),
    events: { 'workspace.updated': returned },
    again: 'no event',
    random: notCounted,
  },
  'workspace.setIcon': {
    input: async () => ({ file: picture }),
    rule: admin('self'),
    events: { 'workspace.updated': current },
    again: 'same events',
    random: notCounted,
    isSlow: true,
  },
  'workspace.deleteIcon': {
    input: ({ admin }) => admin.workspace.setIcon({ file: picture }).then(nothing),
    rule: admin('self'),
    events: { 'workspace.updated': current },
    again: 'no event',
    random: notCounted,
  },
}
