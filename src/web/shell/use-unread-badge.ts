import { useEffect } from 'react'
import { useInboxCount } from '../data/unread'
import unreadIcon from '../icon-unread.svg'
import { formatUnread } from '../parts/format-count'
import { setTitlePrefix } from './document-title'

/** Shows the number of unread entries in the title of the tab, and a dot on its icon. */
export function useUnreadBadge() {
  const count = useInboxCount()
  const isUnread = count > 0
  useEffect(() => setTitlePrefix(isUnread ? `(${formatUnread(count)}) ` : ''), [isUnread, count])
  useEffect(() => {
    if (!isUnread) return
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
    const plainIcon = link.href
    link.href = unreadIcon
    return () => {
      link.href = plainIcon
    }
  }, [isUnread])
}
