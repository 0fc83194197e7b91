import { expect } from 'bun:test'
import { type Cast, nothing, picture, someRecords } from './cast'
import { type Entries, lastOf, returned } from './entry'
import { admin, read } from './rules'

const newName = () => `e${crypto.randomUUID().slice(0, 8)}`
const custom = ({ admin }: Cast) => admin.emoji.set({ name: newName(), file: picture })
const notCounted = 'none: nothing counts them'

export const emoji: Entries<'emoji'> = {
  'emoji.list': { input: (cast) => custom(cast).then(nothing), rule: read('self'), check: someRecords },
  'emoji.set': {
    input: async () => ({ name: newName(), file: picture }),
    rule: admin('self'),
    check: ({ name }, input) => expect(name).toBe(input.name),
    events: { 'emoji.created': returned },
    again: 'same events',
    random: notCounted,
  },
  'emoji.delete': {
    async input(cast) {
      const last = await custom(cast)
      return { name: last.name, last }
    },
    rule: admin('workspace'),
    events: { 'emoji.deleted': lastOf },
    again: 'not_found',
    random: notCounted,
  },
}
