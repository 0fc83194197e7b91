import type { Author, AvatarUrls } from '../contract/authors'
import { avatarUrls } from '../domain/avatar'

/** Where things are on this server, as records tell it. */
export interface Links {
  base: string
  post(id: string): string
  thread(id: string): string
  /** The page of a member; apps have none of their own. */
  person(id: string): string
  avatar(avatar: string): AvatarUrls
  author(card: string): Author
}

const MOST_REMEMBERED = 20_000

export function linksFrom(base: string): Links {
  const avatar = remembered((text) => avatarUrls(base, text))
  return {
    base,
    post: (id) => `${base}/posts/${id}`,
    thread: (id) => `${base}/threads/${id}`,
    person: (id) => (id.startsWith('app_') ? `${base}/` : `${base}/members/${id}`),
    avatar,
    author: remembered((card) => readCard(card, avatar)),
  }
}

/** A card is `type|id|avatar|name`, and only the name may hold a bar. */
function readCard(card: string, avatar: (text: string) => AvatarUrls): Author {
  const [type, id, picture, ...name] = card.split('|')
  return { avatar_urls: avatar(picture!), name: name.join('|'), id: id!, type: type as Author['type'] }
}

/** The same text makes the same thing, so it is made once; what is kept is bounded. */
function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    if (known.size > MOST_REMEMBERED) known.clear()
    return known.getOrInsertComputed(text, make)
  }
}
