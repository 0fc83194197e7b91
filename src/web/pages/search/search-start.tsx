import { clearSearches, forgetSearch, useRecentSearches } from '../../data/search'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'

/** What is shown before something is searched for: recent searches, and what can be typed. */
export const SearchStart = ({ choose }: { choose(q: string): void }) => (
  <div className="search-start">
    <RecentSearches choose={choose} />
    <SearchHelp />
  </div>
)

export const SearchHelp = () => (
  <section>
    <h2>Search tips</h2>
    <dl className="search-help">
      {examples.map(([text, meaning]) => (
        <div key={text}>
          <dt>
            <code>{text}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </section>
)

const examples = [
  ['budget plan', 'Both words, anywhere in a post, comment or message'],
  ['"budget plan"', 'Exactly these words, in this order'],
  ['budget -draft', 'Without the word “draft”'],
  ['budg*', 'Words that start with “budg”'],
  ['title:budget', 'In the title of a post'],
  ['in:general', 'In a channel'],
  ['from:ada', 'By a member or an app; from:me for your own'],
  ['is:open', 'Open posts; also is:resolved, is:post, is:comment and is:message'],
  ['after:2026-01-31', 'After a day, month or year; before:2026 for older ones'],
] as const

function RecentSearches({ choose }: { choose(q: string): void }) {
  const searches = useRecentSearches()
  if (searches.length === 0) return null
  return (
    <section>
      <div className="spread">
        <h2 id="recent-searches">Recent searches</h2>
        <Button variant="plain" onClick={clearSearches}>
          Clear
        </Button>
      </div>
      <ul className="recent-searches" aria-labelledby="recent-searches">
        {searches.map((q) => (
          <li key={q}>
            <button type="button" className="menu-item" onClick={() => choose(q)}>
              <Icon name="search" />
              <span>{q}</span>
            </button>
            <Button icon="close" variant="plain" label={`Remove “${q}”`} onClick={() => forgetSearch(q)} />
          </li>
        ))}
      </ul>
    </section>
  )
}
