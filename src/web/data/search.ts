import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { SearchPage, SearchResult, SearchSubject } from '../../contract/search'
import type { Author } from '../../contract/shapes'
import { paths } from '../paths'
import { usePages } from './pages'
import { cache, parley } from './parley'

export interface Search {
  q: string
  sort: 'relevance' | 'created_at'
}

/** The results within one post or thread. */
export interface ResultGroup {
  id: string
  subject: SearchSubject
  results: SearchResult[]
}

type GroupPage = Omit<SearchPage, 'data'> & { data: ResultGroup[] }

const SEARCH = ['search']
export const searchKey = (search: Search) => [...SEARCH, search]

/** All results of a search, page by page. The previous results stay until the next ones are loaded. */
export function useResults(search: Search, from?: string) {
  const load = async (after: string | undefined, { signal }: { signal: AbortSignal }): Promise<GroupPage> => {
    const page = await parley.search.list({ ...search, ...(after && { after }) }, { signal })
    return { ...page, data: groupResults(page.data) }
  }
  const options = { from, enabled: search.q !== '', keepPrevious: true, refetchOnFocus: true }
  const found = usePages<ResultGroup, GroupPage>(searchKey(search), load, options)
  return { ...found, records: mergeGroups(found.records) }
}

const MAX_QUICK_RESULTS = 12

/** The best results, for the palette. */
export const useQuickResults = (q: string) =>
  useQuery({
    queryKey: [...SEARCH, 'quick', q],
    queryFn: ({ signal }) => parley.search.list({ q, limit: MAX_QUICK_RESULTS }, { signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  })

const groupResults = (results: SearchResult[]): ResultGroup[] =>
  mergeGroups(results.map((result) => ({ id: result.subject.id, subject: result.subject, results: [result] })))

/** Puts the results of the same post or thread where the first of them is. */
function mergeGroups(groups: ResultGroup[]): ResultGroup[] {
  const merged = new Map<string, ResultGroup>()
  for (const group of groups) {
    const known = merged.get(group.id)
    merged.set(group.id, known ? { ...known, results: [...known.results, ...group.results] } : group)
  }
  return [...merged.values()]
}

/** What was found. */
export function getRecord(result: SearchResult): { id: string; author: Author; created_at: string } {
  if (result.type === 'post') return result.post
  return result.type === 'comment' ? result.comment : result.message
}

/** Where a result is shown in its place. */
export function getResultPath(result: SearchResult): string {
  const { id } = result.subject
  if (result.type === 'post') return paths.post(id)
  return result.type === 'comment' ? paths.post(id, result.comment.id) : paths.thread(id, result.message.id)
}

/** Results are loaded again the next time they are shown, not while someone reads them. */
export const markOutdated = () => void cache.invalidateQueries({ queryKey: SEARCH, refetchType: 'none' })
