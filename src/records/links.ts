import type { AvatarUrls } from '../contract/authors'
import { avatarUrls } from '../domain/avatar'

/** Where things are on this server, as records tell it. */
export interface Links {
  base: string
  post(id: string): string
  thread(id: string): string
  avatar(avatar: string): AvatarUrls
}

const MOST_REMEMBERED = 10_000

export function linksFrom(base: string): Links {
  const avatars = new Map<string, AvatarUrls>()
  return {
    base,
    post: (id) => `${base}/posts/${id}`,
    thread: (id) => `${base}/threads/${id}`,
    avatar(avatar) {
      const known = avatars.get(avatar)
      if (known) return known
      if (avatars.size >= MOST_REMEMBERED) avatars.clear()
      const urls = avatarUrls(base, avatar)
      avatars.set(avatar, urls)
      return urls
    },
  }
}
