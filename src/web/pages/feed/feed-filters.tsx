import { Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import { lazyLoad } from '../../parts/lazy-load'
import { QuietChoice } from '../../parts/quiet-choice'
import { paths, withQuery } from '../../paths'

const STATES = [
  ['', 'All'],
  ['false', 'Open'],
  ['true', 'Resolved'],
] as const

const SORTS = [
  ['', 'Newest'],
  ['activity', 'Last activity'],
] as const

interface Props {
  query: URLSearchParams
  channelId?: string
}

/** Which posts are shown and in which order. Both are in the URL. A channel has tabs of its other pages instead of the states. */
export function FeedFilters({ query, channelId }: Props) {
  const [path, navigate] = useLocation()
  const change = (name: string, value: string) =>
    withQuery(path, { ...Object.fromEntries(query), [name]: value || undefined })
  const state = query.get('resolved') ?? ''
  const sorting = {
    title: 'Sort by',
    value: query.get('sort') ?? '',
    choices: SORTS,
    choose: (sort: string) => navigate(change('sort', sort)),
  }
  if (!channelId)
    return (
      <div className="tab-bar">
        <nav aria-label="Status">
          {STATES.map(([value, label]) => (
            <Tab key={label} to={change('resolved', value)} isHere={state === value}>
              {label}
            </Tab>
          ))}
        </nav>
        <QuietChoice label="Sort by" groups={[sorting]} />
      </div>
    )
  const showing = {
    title: 'Show',
    value: state,
    choices: STATES.map(([value, label]) => [value, `${label} posts`] as const),
    choose: (value: string) => navigate(change('resolved', value)),
  }
  return (
    <div className="tab-bar">
      <nav aria-label="Channel">
        <Tab to={paths.channel(channelId)} isHere={path === paths.channel(channelId)}>
          Posts
        </Tab>
        <Tab to={paths.channelFiles(channelId)} isHere={path === paths.channelFiles(channelId)}>
          Files
          <Suspense>
            <FilesCount channelId={channelId} />
          </Suspense>
        </Tab>
        <Tab to={paths.channelAbout(channelId)} isHere={path === paths.channelAbout(channelId)}>
          About
        </Tab>
      </nav>
      {path === paths.channel(channelId) && <QuietChoice label="Show" groups={[showing, sorting]} />}
    </div>
  )
}

const Tab = ({ to, isHere, children }: { to: string; isHere: boolean; children: React.ReactNode }) => (
  <Link href={to} className="tab-link count" aria-current={isHere ? 'page' : undefined}>
    {children}
  </Link>
)

/** What a page of posts does not need to be shown. */
const FilesCount = lazyLoad(async () => ({ default: (await import('./channel-tools')).FilesCount }), 'soon')
