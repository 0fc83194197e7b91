import { parseFeed, toFeedQuery } from '../data/feed'
import { firstUrls } from '../paths'

/** What every page needs, and what this one shows. */
export const listFirstUrls = (path: string, search: string): string[] => [
  firstUrls.me,
  firstUrls.channels,
  ...listPageUrls(path, search),
]

function listPageUrls(path: string, search: string): string[] {
  const [, section, id, part] = path.split('/')
  const toFeedUrl = (channelId?: string) =>
    firstUrls.posts(toFeedQuery(parseFeed(new URLSearchParams(search), channelId)))
  if (section === '' || (section === 'posts' && !id)) return [toFeedUrl()]
  if (section === 'channels' && id && part === 'files') return [firstUrls.channelFiles(id)]
  if (section === 'channels' && id) return [toFeedUrl(id), firstUrls.pins(id)]
  if (section === 'posts' && id && id !== 'new') return [firstUrls.post(id), firstUrls.comments(id)]
  return []
}
