import { type Cast, nothing, sameId, someRecords } from './cast'
import type { Entries } from './entry'
import { authorOnly, readOwn, writeOwn } from './rules'

/** The first entry of the author's inbox. */
async function entry({ author, third, world }: Cast) {
  await third.messages.createDirect({ member_id: author.id, content_markdown: 'Hi' })
  await world.fillInboxes()
  return (await author.inbox.list()).data[0]!
}

export const inbox: Entries<'inbox'> = {
  'inbox.list': { input: (cast) => entry(cast).then(nothing), rule: readOwn('self'), check: someRecords },
  'inbox.update': {
    input: async (cast) => ({ id: (await entry(cast)).id, read: true }),
    rule: writeOwn('self', { except: authorOnly }),
    check: sameId,
    events: { 'inbox.updated': ({ output }) => ({ subject_id: output.subject.id }) },
    again: 'no event',
    async random({ who, one, below, pick }) {
      const { data } = await who.inbox.list({ archived: below(3) === 0 })
      const id = one(data.map((each) => each.id))
      return { id, ...pick([{ read: true }, { read: false }, { archived: below(2) === 0 }]) }
    },
  },
  'inbox.readAll': {
    input: (cast) => entry(cast).then(nothing),
    rule: writeOwn('self'),
    events: { 'inbox.updated': () => ({ subject_id: null }) },
    again: 'no event',
    random: () => ({}),
  },
}
