import { idOf } from '../expectations'
import { byId, type Cast, memberAuthor, nothing, session, someRecords } from './cast'
import type { Entries } from './entry'
import { authorOnly, secure } from './rules'

const ended = async ({ cast }: { cast: Cast }) => ({
  id: idOf('ses'),
  name: 'Unknown browser',
  member: await memberAuthor(cast, cast.author.id),
})

export const sessions: Entries<'sessions'> = {
  'sessions.list': { input: (cast) => session(cast).then(nothing), rule: secure('self'), check: someRecords },
  'sessions.delete': {
    input: byId(session),
    rule: secure('workspace', { except: authorOnly }),
    events: { 'session.ended': ended },
    again: 'not_found',
    random: 'none: members have no sessions there',
    unreachable: 'only browsers have sessions',
  },
  'sessions.deleteAll': {
    input: (cast) => session(cast).then(nothing),
    rule: secure('self'),
    events: { 'session.ended': ended },
    again: 'no event',
    random: 'none: members have no sessions there',
  },
}
