import { type MouseEvent, memo, Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Channel } from '../../contract/channels'
import { Button } from '../parts/button'
import { Icon } from '../parts/icon'
import { lazyLoad } from '../parts/lazy-load'
import { paths } from '../paths'
import { UnreadCount } from './sidebar-link'

const RowMenu = lazyLoad(async () => ({ default: (await import('./channel-menu')).SidebarChannelMenu }), 'soon')

interface Props {
  channel: Channel
  count: number
  isMuted: boolean
  isDraft: boolean
  /** Whether its page is shown. */
  isHere: boolean
  /** Whether what is dragged would be put in front of it. */
  isDropTarget: boolean
}

/** A channel in the sidebar. Of hundreds, only those that changed are rendered. */
export const ChannelRow = memo(function ChannelRow(props: Props) {
  const { channel, count, isMuted, isDraft, isHere, isDropTarget } = props
  const { id, name, is_private } = channel
  const [isMenuOpened, setMenuOpened] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isHere) reveal(row.current!)
  }, [isHere])
  const longPress = useLongPress(() => setMenuOpened(true))
  const button = (
    <Button
      icon="dots"
      variant="plain"
      label={`Actions for ${name}`}
      aria-haspopup="menu"
      onClick={() => setMenuOpened(true)}
    />
  )
  return (
    <li ref={row} className="sidebar-row" data-channel={id} data-drop={isDropTarget || undefined}>
      <Link
        href={paths.channel(id)}
        className={`sidebar-link ${count > 0 ? 'unread' : ''} ${isMuted ? 'muted' : ''}`}
        aria-current={isHere ? 'page' : undefined}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        {...longPress}
      >
        <Icon name={is_private ? 'lock' : 'hash'} />
        <span className="sidebar-label">{name}</span>
        {isDraft && <span className="draft">Draft</span>}
        {isMuted && <Muted />}
        {count > 0 && <UnreadCount count={count} />}
      </Link>
      {isMenuOpened ? (
        <Suspense fallback={button}>
          <RowMenu channel={channel} isMuted={isMuted} isUnread={count > 0} />
        </Suspense>
      ) : (
        button
      )}
    </li>
  )
})

const Muted = () => (
  <>
    <Icon name="bell-off" size={14} />
    <span className="visually-hidden"> muted</span>
  </>
)

/** Shows a row that is opened from somewhere else. Only the scroller moves: the drawer of a phone is beside the page. */
export function reveal(row: HTMLElement) {
  const scroller = row.closest<HTMLElement>('.sidebar-scroller')!
  const [{ top, bottom }, view] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()]
  // Below the heading of the section, which stays at the top.
  const above = top - view.top - row.offsetHeight
  if (above < 0) scroller.scrollTop += above
  else if (bottom > view.bottom) scroller.scrollTop += bottom - view.bottom
}

const LONG_PRESS_MS = 500

/** On touch screens, which have no room for the button of the menu. */
function useLongPress(open: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isOpened = useRef(false)
  const cancel = () => clearTimeout(timer.current)
  const openOnce = () => {
    cancel()
    if (!isOpened.current) open()
    isOpened.current = true
  }
  return {
    onTouchStart: () => {
      isOpened.current = false
      cancel()
      timer.current = setTimeout(openOnce, LONG_PRESS_MS)
    },
    onTouchMove: cancel,
    onTouchEnd: cancel,
    onTouchCancel: cancel,
    // Some browsers tell of a long press by this, and would show their own menu for links.
    onContextMenu: (event: MouseEvent) => {
      if ((event.nativeEvent as PointerEvent).pointerType === 'mouse') return
      event.preventDefault()
      openOnce()
    },
    onClick: (event: MouseEvent) => {
      if (isOpened.current) event.preventDefault()
      isOpened.current = false
    },
  }
}
