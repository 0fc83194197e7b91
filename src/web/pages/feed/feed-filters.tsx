import { Link, useLocation } from 'wouter'
import { Icon } from '../../parts/icon'
import { withQuery } from '../../paths'

const STATES = [
  [undefined, 'All'],
  ['false', 'Open'],
  ['true', 'Resolved'],
] as const

const SORTS = [
  ['', 'Newest'],
  ['activity', 'Last activity'],
] as const

/** Which posts are shown, as links, and in which order. Both are in the URL. */
export function FeedFilters({ query }: { query: URLSearchParams }) {
  const [path, navigate] = useLocation()
  const change = (name: string, value: string | undefined) =>
    withQuery(path, { ...Object.fromEntries(query), [name]: value || undefined })
  return (
    <div className="tab-bar">
      <nav aria-label="Status">
        {STATES.map(([value, label]) => (
          <Link
            key={label}
            href={change('resolved', value)}
            className="tab-link"
            aria-current={(query.get('resolved') ?? undefined) === value ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <label className="quiet-select">
        <span className="visually-hidden">Sort by</span>
        <select value={query.get('sort') ?? ''} onChange={(event) => navigate(change('sort', event.target.value))}>
          {SORTS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </label>
    </div>
  )
}
