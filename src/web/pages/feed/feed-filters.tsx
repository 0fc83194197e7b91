import { Link, useLocation } from 'wouter'
import { Icon } from '../../parts/icon'
import { paths, withQuery } from '../../paths'

const STATES = [
  [undefined, 'All'],
  ['false', 'Open'],
  ['true', 'Resolved'],
] as const

const SORTS = [
  ['', 'Newest'],
  ['activity', 'Last activity'],
] as const

interface Props {
  query: URLSearchParams
  /** A channel has a tab of its files, too. */
  channelId?: string
}

/** Which posts are shown, as links, and in which order. Both are in the URL. */
export function FeedFilters({ query, channelId }: Props) {
  const [path, navigate] = useLocation()
  const isFiles = channelId !== undefined && path === paths.channelFiles(channelId)
  const change = (name: string, value: string | undefined) =>
    withQuery(channelId ? paths.channel(channelId) : path, {
      ...Object.fromEntries(query),
      [name]: value || undefined,
    })
  return (
    <div className="tab-bar">
      <nav aria-label="Status">
        {STATES.map(([value, label]) => (
          <Link
            key={label}
            href={change('resolved', value)}
            className="tab-link"
            aria-current={!isFiles && (query.get('resolved') ?? undefined) === value ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
        {channelId && (
          <>
            <span className="tab-line" />
            <Link href={paths.channelFiles(channelId)} className="tab-link" aria-current={isFiles ? 'page' : undefined}>
              Files
            </Link>
          </>
        )}
      </nav>
      {!isFiles && <SortChoice value={query.get('sort') ?? ''} choose={(sort) => navigate(change('sort', sort))} />}
    </div>
  )
}

const SortChoice = ({ value, choose }: { value: string; choose(sort: string): void }) => (
  <label className="quiet-select">
    <span className="visually-hidden">Sort by</span>
    <select value={value} onChange={(event) => choose(event.target.value)}>
      {SORTS.map(([sort, label]) => (
        <option key={sort} value={sort}>
          {label}
        </option>
      ))}
    </select>
    <Icon name="down" />
  </label>
)
