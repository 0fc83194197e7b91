import { kindOf } from '../contract/browser/kinds'
import type { Author, AvatarUrls } from '../contract/shapes'
import { avatarUrls } from './avatar'

/** Makes the URLs in records. */
export interface Links {
  base: string
  post(id: string): string
  thread(id: string): string
  channel(id: string): string
  group(id: string): string
  /** The page of a member; apps have none of their own. */
  person(id: string): string
  avatar(avatar: string): AvatarUrls
  /** The icon of a workspace, if it has one. */
  icon(file: string | null): string | null
  /** The picture of a custom emoji. */
  emoji(picture: string): string
  author(stored: string): Author
}

const MAX_MEMOIZED = 20_000

export function linksFrom(base: string): Links {
  const avatar = memoize((text) => avatarUrls(base, text))
  return {
    base,
    post: (id) => `${base}/posts/${id}`,
    thread: (id) => `${base}/threads/${id}`,
    channel: (id) => `${base}/channels/${id}`,
    group: (id) => `${base}/groups/${id}`,
    person: (id) => (kindOf(id) === 'app' ? `${base}/` : `${base}/members/${id}`),
    avatar,
    icon: (file) => (file === null ? null : avatar(file).xxl),
    emoji: (picture) => `${base}/emoji/${picture}.webp`,
    author: memoize((stored) => readAuthor(stored, avatar)),
  }
}

/** `stored` is what `storedAuthor` in store/lists/record-json.ts makes. Only the name, which comes last, may have spaces. */
function readAuthor(stored: string, avatar: (file: string) => AvatarUrls): Author {
  const [id, type, file, ...name] = stored.split(' ') as [string, Author['type'], string, ...string[]]
  return { avatar_urls: avatar(file), name: name.join(' '), id, type }
}

/** Memoizes a pure function, for a bounded number of arguments. */
function memoize<T>(make: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    if (results.size > MAX_MEMOIZED) results.clear()
    return results.getOrInsertComputed(text, make)
  }
}

/** An author's record, from what rows carry: see `storedAuthor` in store/lists/record-json.ts. */
export const toAuthor = (links: Links, stored: string): Author => links.author(stored)
