import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { ApiError } from '../../../client'
import { rememberSearch, type Search, searchKey, useResults } from '../../data/search'
import { CodeText } from '../../parts/code-text'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Empty, getErrorMessage, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { useDebouncedText } from '../../parts/use-debounced-text'
import { paths } from '../../paths'
import { useKeys } from '../../shell/keys'
import { PageTitle } from '../../shell/title'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { Filters } from './filters'
import { ResultEntry } from './result-entry'
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

interface Props {
  search: Search
  found: ReturnType<typeof useResults>
}

/** What was found, grouped by post and thread. */
function Results({ search, found }: Props) {
  if (found.error && !found.data) return <ProblemNote error={found.error} retry={() => void found.refetch()} />
  if (!found.data) return <ResultSkeleton />
  const { is_incomplete, did_you_mean } = found.data.pages[0]!
  const isPrevious = found.isPlaceholderData
  return (
    <>
      {is_incomplete && (
        <p className="meta search-notice">
          Older posts, comments and messages are still being indexed, so results may be incomplete.
        </p>
      )}
      {found.records.length === 0 && !found.hasPreviousPage ? (
        <NoResults q={search.q} suggestion={did_you_mean} isPending={isPrevious} />
      ) : (
        <div className={isPrevious ? 'pending' : ''} aria-busy={isPrevious}>
          <InfiniteList
            key={isPrevious ? 'previous' : JSON.stringify(search)}
            name="Results"
            pages={isPrevious ? { ...found, hasNextPage: false, hasPreviousPage: false } : found}
            skeleton={<ResultSkeleton count={2} />}
          >
            {(group) => <ResultEntry key={group.id} group={group} q={search.q} />}
          </InfiniteList>
        </div>
      )}
    </>
  )
}

function NoResults({ q, suggestion, isPending }: { q: string; suggestion: string | null; isPending: boolean }) {
  if (isPending) return <ResultSkeleton />
  return (
    <Empty
      title={`No results for “${q}”`}
      action={
        suggestion && (
          <p>
            Did you mean <Link href={paths.search({ q: suggestion })}>{suggestion}</Link>?
          </p>
        )
      }
    >
      Check the spelling, try fewer words, or remove a filter. End a word with <code>*</code> to find longer words too.
    </Empty>
  )
}

const ResultSkeleton = ({ count = 5 }: { count?: number }) => (
  <Loading what="results">
    <ol>
      {Array.from({ length: count }, (_, at) => (
        <li key={at} className="result">
          <Skeleton width={220} />
          <Skeleton width={`${64 - (at % 3) * 12}%`} height={18} />
          <Skeleton width="92%" />
        </li>
      ))}
    </ol>
  </Loading>
)

interface SearchBoxProps {
  q: string
  /** Called in pauses of typing. */
  type(q: string): void
  /** Called on Enter. */
  submit(q: string): void
  /** How much was found. */
  note: string
  /** What is wrong with the query. */
  problem: string | undefined
}

/** The field with the query. */
function SearchBox({ q, type, submit, note, problem }: SearchBoxProps) {
  const [text, setText] = useDebouncedText(q, type)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // A page that is opened without a query is for typing one.
    if (!location.search) field.current!.focus()
  }, [])
  useKeys('On the search page', { '/': { label: 'Edit search', run: () => field.current!.select() } })
  return (
    <search className="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(text)
          if (text.trim() !== q) type(text.trim())
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          aria-label="Search"
          aria-invalid={problem !== undefined}
          aria-describedby="search-problem"
          placeholder="Search posts, comments and messages"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="meta count" role="status">
          {note}
        </span>
      </form>
      <p id="search-problem" className="search-problem" role="status">
        {problem && <CodeText text={problem} />}
      </p>
    </search>
  )
}
