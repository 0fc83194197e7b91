import { nothing, post, shownByIds, thread } from './cast'
import type { Entries } from './entry'
import { readOwn } from './rules'

export const unread: Entries<'unread'> = {
  'unread.get': { input: nothing, rule: readOwn('self') },
  'unread.posts': { input: shownByIds(post), rule: readOwn('channel', { unseen: 'hidden' }) },
  'unread.threads': { input: shownByIds(thread), rule: readOwn('thread', { unseen: 'hidden' }) },
}
