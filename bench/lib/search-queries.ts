import type { Dataset } from './dataset'
import { HAN_TEXT, rarePhrase, rareWord } from './search-fixtures'
import { isQuick } from './settings'

export interface SearchQuery {
  kind: string
  token: string
  url: string
}

/** Of seeded text; the first is in nearly every post. */
const COMMON = ['the', 'is', 'it', 'and', 'to', 'in', 'of', 'on', 'we', 'for']
/** Each is in many posts. */
const PHRASES = [
  ...[
    'in the handbook',
    'looked at so far',
    'the last two reviews',
    'we leave it',
    'for new colleagues',
    'works a little',
  ],
  ...['the old way', 'nothing was lost', 'can be used', 'the help page', 'two days a month', 'in three meetings'],
  ...[
    'needs no new tool',
    'we name one owner',
    'an hour off',
    'only what is shown',
    'how to repeat it',
    'half an hour',
  ],
  ...['what we agreed on', 'with real people'],
]
const perKind = isQuick ? 2 : 20
const RESULTS = 20

/** As many queries of each kind. No address is requested twice, so that none is answered from a cache: full stops tell them apart. */
export function makeSearchQueries({ token, search }: Dataset, round: number): SearchQuery[] {
  const common = (at: number) => COMMON[at % COMMON.length]!
  const pair = (at: number) => `${common(at)} ${COMMON[(at + 1 + Math.floor(at / COMMON.length)) % COMMON.length]}`
  const filtered = (name: string, ids: readonly string[]) => (at: number) => ({
    q: COMMON[0]!,
    [name]: ids[at % ids.length]!,
  })
  const queries: Record<string, (at: number) => { q: string; [filter: string]: string }> = {
    'a rare word': (at) => ({ q: rareWord(at) }),
    'a common word': (at) => ({ q: common(at) }),
    'two common words': (at) => ({ q: pair(at) }),
    'a phrase': (at) => ({ q: `"${PHRASES[at % PHRASES.length]}"` }),
    'a rare phrase of common words': (at) => ({ q: `"${rarePhrase(at)}"` }),
    'two characters of Han': (at) => ({ q: HAN_TEXT.slice(at, at + 2) }),
    'a beginning of a word': (at) => ({ q: `${['han', 're', 'wo', 'st', 'pe'][at % 5]}*` }),
    'in a channel': filtered('channel_id', search.channels),
    'by an author': filtered('author_id', search.authors),
    'as a member of 200 private channels': (at) => ({ q: pair(at) }),
    'as a guest': (at) => ({ q: common(at) }),
  }
  const tokens: Record<string, string> = {
    'as a member of 200 private channels': search.memberToken,
    'as a guest': search.guestToken,
  }
  return Object.entries(queries).flatMap(([kind, make]) =>
    Array.from({ length: perKind }, (_, at) => {
      const { q, ...filters } = make(at)
      const stops = '.'.repeat(1 + at + round * perKind)
      const query = new URLSearchParams({ ...filters, q: `${q} ${stops}`, limit: String(RESULTS) })
      return { kind, token: tokens[kind] ?? token, url: `/v2/search?${query}` }
    }),
  )
}
