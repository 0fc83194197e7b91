import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { ApiError } from '../../../client'
import { rememberSearch } from '../../data/recent-searches'
import { type Search, searchKey, useResults } from '../../data/search'
import { formatCount } from '../../parts/format-count'
import { getErrorMessage } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { useStartCursor } from '../feed/infinite-list'
import { Filters } from './filters'
import { Results } from './results'
import { SearchBox } from './search-box'
import { SearchHelp, SearchStart } from './search-start'

/** Searches posts, comments and messages. What is searched for is in the URL. */
export default function SearchPage() {
  const [, navigate] = useLocation()
  const search = parseSearch(new URLSearchParams(useSearch()))
  const found = useFound(search)
  const change = (next: Partial<Search>) => navigate(toPath({ ...search, ...next }))
  const type = (q: string) => navigate(toPath({ ...search, q }), { replace: true, state: history.state })

  const isRejected = found.error instanceof ApiError && found.error.status === 422
  return (
    <main className="page search-page" id="main">
      <div className="visually-hidden">
        <PageTitle title={search.q ? `${search.q} · Search` : 'Search'}>Search</PageTitle>
      </div>
      <SearchBox
        q={search.q}
        type={type}
        submit={rememberSearch}
        note={search.q !== '' && found.data && !found.error ? formatTotal(found.data.pages[0]!) : ''}
        problem={isRejected ? getErrorMessage(found.error) : undefined}
      />
      <Filters search={search} change={change} />
      {search.q === '' ? (
        <SearchStart choose={(q) => change({ q })} />
      ) : isRejected ? (
        <div className="search-start">
          <SearchHelp />
        </div>
      ) : (
        <Results search={search} found={found} />
      )}
    </main>
  )
}

/** The order in the URL. Best match is the default. */
const NEWEST = 'newest'

const parseSearch = (query: URLSearchParams): Search => ({
  q: query.get('q')?.trim() ?? '',
  sort: query.get('sort') === NEWEST ? 'created_at' : 'relevance',
})

const toPath = ({ q, sort }: Search) =>
  paths.search({ q: q || undefined, sort: sort === 'created_at' ? NEWEST : undefined })

/** The results; on Back, from where they were left. */
function useFound(search: Search) {
  const key = JSON.stringify(search)
  const [firstKey] = useState(key)
  const from = useStartCursor(searchKey(search))
  return useResults(search, key === firstKey ? from : undefined)
}

function formatTotal({ total_count, total_is_capped }: { total_count: number; total_is_capped: boolean }) {
  return total_is_capped ? `${total_count.toLocaleString()}+ results` : formatCount(total_count, 'result')
}
