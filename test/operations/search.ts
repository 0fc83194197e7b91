import { comment, message, post } from './cast'
import type { Entries } from './entry'
import { readList } from './rules'

export const search: Entries<'search'> = {
  'search.list': {
    input: async (cast) => ({ q: 'lunch', shows: (await post(cast)).id }),
    rule: readList('channel'),
    also: {
      'of comments': {
        input: async (cast) => ({ q: 'noon', shows: (await comment(cast)).id }),
        rule: readList('channel'),
      },
      'of messages': {
        input: async (cast) => ({ q: 'hi', shows: (await message(cast)).id }),
        rule: readList('thread'),
      },
    },
  },
}
