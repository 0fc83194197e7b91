import { type Cast, post } from './cast'
import type { Entries } from './entry'
import { readList } from './rules'

export const events: Entries<'events'> = {
  'events.list': {
    // Any event of a post will do.
    input: (cast: Cast) => post(cast).then(() => ({ types: ['post.created'], shows: 'evt_' })),
    rule: readList('channel'),
  },
}
