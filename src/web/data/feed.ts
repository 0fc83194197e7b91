// The first paint runs before the web app is loaded, and needs nothing else of its data.
/** Which posts a page of the feed shows, and in which order. */
export interface Feed {
  channel_id?: string
  author_id?: string
  resolved?: boolean
  sort: 'published_at' | 'last_activity_at'
}

/** The start of a feed fills the window. Further pages are longer. */
const FIRST_PAGE = 15

/** The feed of an address: `?resolved=false&sort=activity`. */
export function parseFeed(query: URLSearchParams, channel_id: string | undefined): Feed {
  const resolved = query.get('resolved')
  return {
    ...(channel_id && { channel_id }),
    ...(resolved && { resolved: resolved === 'true' }),
    sort: query.get('sort') === 'activity' ? 'last_activity_at' : 'published_at',
  }
}

export const toFeedQuery = (feed: Feed, after?: string) => ({ ...feed, ...(after ? { after } : { limit: FIRST_PAGE }) })
