import type { SearchPage, SearchResult } from '../../src/contract/search'
import type { Client } from '../client'

export type SearchInput = NonNullable<Parameters<Client['search']['list']>[0]>

/** The record of a result, whatever its type is. */
export function recordOf(result: SearchResult): { id: string; created_at: string } {
  if (result.type === 'post') return result.post
  return result.type === 'comment' ? result.comment : result.message
}

export const idsOf = ({ data }: SearchPage): string[] => data.map((result) => recordOf(result).id)

/** The ids of what a query finds, in order. */
export async function find(who: Client, input: string | SearchInput): Promise<string[]> {
  return idsOf(await who.search.list(typeof input === 'string' ? { q: input } : input))
}

/** Pages forward to the end, and returns the ids of all pages. */
export async function findAll(who: Client, input: SearchInput, limit = 50): Promise<string[]> {
  const found: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page: SearchPage = await who.search.list({ ...input, limit, after })
    found.push(...idsOf(page))
    after = page.next_cursor
  }
  return found
}
