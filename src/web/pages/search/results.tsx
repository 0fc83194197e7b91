import { Link } from 'wouter'
import type { Search, useResults } from '../../data/search'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { InfiniteList } from '../feed/infinite-list'
import { ResultEntry } from './result-entry'

interface Props {
  search: Search
  found: ReturnType<typeof useResults>
}

/** What was found, grouped by post and thread. */
export function Results({ search, found }: Props) {
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
