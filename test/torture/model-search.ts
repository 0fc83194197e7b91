import { idsOf } from '../search/found'
import type { Person as Client } from '../world'
import * as m from './model'

/** Each text of the model has one of these words. */
const fruits = ['apple', 'pear', 'plum'] as const

export const textOf = (seed: number) => `Text ${seed} ${fruits[seed % fruits.length]}`

/** A record that can be found. */
interface Searched {
  id: string
  title: string
  text: string
  author: m.Person
  createdAt: number
  /** Undefined for messages. */
  post?: m.Post
}

function searchable({ posts, comments, messages }: m.Model, who: m.Person): Searched[] {
  const all: Searched[] = [
    ...posts.filter((post) => m.seesPost(who, post)).map((post) => ({ ...post, post })),
    ...comments
      .filter((comment) => !comment.isEmptied && m.seesComment(who, comment))
      .map((comment) => ({ ...comment, title: '' })),
    ...messages.filter((message) => m.seesMessage(who, message)).map((message) => ({ ...message, title: '' })),
  ]
  return all.sort((a, b) => b.createdAt - a.createdAt)
}

interface Query {
  q: string
  holds(record: Searched, who: m.Person): boolean
  /** Whether all words of the query are in the title. */
  isInTitle(record: Searched): boolean
}

const has = (word: string) => (record: Searched) => record.title.includes(word) || record.text.includes(word)
const titleHas = (word: string) => (record: Searched) => record.title.includes(word)

const queries: readonly Query[] = [
  ...fruits.map((fruit) => ({ q: fruit, holds: has(fruit), isInTitle: titleHas(fruit) })),
  { q: 'text -apple', holds: (record) => !has('apple')(record), isInTitle: titleHas('Text') },
  { q: 'title:pear', holds: titleHas('pear'), isInTitle: () => true },
  { q: 'text is:resolved', holds: ({ post }) => post?.resolution !== undefined, isInTitle: titleHas('Text') },
  { q: 'from:me', holds: ({ author }, who) => author === who, isInTitle: () => false },
]

/** What a person finds: for each query, the call and the result expected by the model. */
export function searchesOf(model: m.Model, who: m.Person) {
  return queries.map(({ q, holds, isInTitle }) => {
    const found = searchable(model, who).filter((record) => holds(record, who))
    const first = found.filter(isInTitle)
    const ids = [...first, ...found.filter((record) => !first.includes(record))].map(({ id }) => id)
    return {
      name: `search.list of ${q}`,
      ask: async (client: Client) => {
        const page = await client.search.list({ q, limit: 50 })
        return { ids: idsOf(page), total_count: page.total_count }
      },
      expected: { ids: ids.slice(0, 50), total_count: ids.length },
    }
  })
}
