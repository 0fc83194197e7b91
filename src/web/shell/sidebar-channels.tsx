import { type DragEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useCreationOfChannels } from '../data/channels'
import { findNeighbors, type Place, placeChannel, type SidebarChannels, useSidebarChannels } from '../data/sidebar'
import { useUnread } from '../data/unread'
import { Button } from '../parts/button'
import { Loading, Skeleton } from '../parts/states'
import { isOfChannel, paths } from '../paths'
import { ChannelRow } from './sidebar-row'
import { Section } from './sidebar-section'

/** The channels that the member is in: favorites, and the others. */
export function ChannelSections({ drafts }: { drafts: ReadonlySet<string> }) {
  const sections = useSidebarChannels()
  const lists = useRef<HTMLDivElement>(null)
  const [dragged, drop, dragHandlers] = useDragging(sections)
  const [moved, onKeyDown] = useMoveKeys(sections, lists)
  const [, navigate] = useLocation()
  const creation = useCreationOfChannels()
  const action = creation.isOffered && (
    <Button
      icon="plus"
      variant="plain"
      label="Create channel"
      disabledReason={creation.deniedReason}
      onClick={() => navigate(paths.newChannel)}
    />
  )
  const favorites = sections?.favorites ?? []
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and drags are those of the rows.
    <div ref={lists} onKeyDown={onKeyDown} {...dragHandlers}>
      <p className="visually-hidden" role="status">
        {moved}
      </p>
      {(favorites.length > 0 || dragged) && (
        <Section name="favorites" title="Favourites">
          {(isFolded) => (
            <Rows channels={favorites} isFavorite isFolded={isFolded} drafts={drafts} drop={drop}>
              {favorites.length === 0 && <li className="sidebar-hint">Drop it here</li>}
            </Rows>
          )}
        </Section>
      )}
      <Section name="channels" title="Channels" action={action}>
        {(isFolded) =>
          sections ? (
            <Rows channels={sections.channels} isFolded={isFolded} drafts={drafts} drop={drop} />
          ) : (
            <LinkSkeletons />
          )
        }
      </Section>
    </div>
  )
}

const LinkSkeletons = () => (
  <Loading what="channels">
    {[120, 90, 140].map((width) => (
      <div key={width} className="sidebar-link">
        <Skeleton width={width} />
      </div>
    ))}
  </Loading>
)

interface RowsProps {
  channels: SidebarChannels['channels']
  isFavorite?: boolean
  /** Then only what is unread, or open, is shown. */
  isFolded: boolean
  drafts: ReadonlySet<string>
  drop: Place | undefined
  children?: React.ReactNode
}

function Rows({ channels, isFavorite = false, isFolded, drafts, drop, children }: RowsProps) {
  const [path] = useLocation()
  const states = new Map(useUnread().channels.map((channel) => [channel.id, channel]))
  const isDropped = drop?.isFavorite === isFavorite
  return (
    <ul
      data-section={isFavorite ? 'favorites' : 'channels'}
      data-drop={(isDropped && drop.beforeId === null) || undefined}
    >
      {channels.map((channel) => {
        const state = states.get(channel.id)
        const isHere = isOfChannel(channel.id, path)
        const count = state?.unread_count ?? 0
        return isFolded && count === 0 && !isHere ? null : (
          <ChannelRow
            key={channel.id}
            channel={channel}
            count={count}
            isMuted={state?.level === 'none'}
            isDraft={drafts.has(channel.id)}
            isHere={isHere}
            isDropTarget={isDropped && drop.beforeId === channel.id}
          />
        )
      })}
      {children}
    </ul>
  )
}

/** Alt and an arrow move the channel in focus, which keeps the focus. Returns what is read aloud of it. */
function useMoveKeys(sections: SidebarChannels | undefined, lists: RefObject<HTMLElement | null>) {
  const moved = useRef<string>(undefined)
  const [said, say] = useState('')
  useLayoutEffect(() => {
    const link = moved.current && lists.current!.querySelector<HTMLElement>(`[data-channel="${moved.current}"] a`)
    if (link && document.activeElement !== link) link.focus()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as Element).closest<HTMLElement>('[data-channel]')?.dataset.channel
    moved.current = undefined
    if (!id || !sections || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    const { up, down } = findNeighbors(sections, id)
    const place = event.key === 'ArrowUp' ? up : down
    const channel = [...sections.favorites, ...sections.channels].find((each) => each.id === id)
    if (!place || !channel) return
    moved.current = id
    say(`${channel.name} moved ${place === up ? 'up' : 'down'}`)
    void placeChannel(channel, place)
  }
  return [said, onKeyDown] as const
}

const TYPE = 'application/x-parley-channel'

/** Channels are dragged to another place, or into the other section. Returns whether one is, and where it would go. */
function useDragging(sections: SidebarChannels | undefined) {
  const [dragged, setDragged] = useState<string>()
  const [drop, setDrop] = useState<Place>()
  const end = () => {
    setDragged(undefined)
    setDrop(undefined)
  }
  const handlers = {
    onDragStart: (event: DragEvent) => {
      const id = (event.target as Element).closest<HTMLElement>('[data-channel]')?.dataset.channel
      if (!id) return
      event.dataTransfer.setData(TYPE, id)
      // The browser gives up dragging what moves at once.
      setTimeout(() => setDragged(id))
    },
    onDragOver: (event: DragEvent) => {
      const place = event.dataTransfer.types.includes(TYPE) && findPlace(event)
      if (!place) return setDrop(undefined)
      event.preventDefault()
      setDrop((before) => (before && isSame(before, place) ? before : place))
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.currentTarget as Element).contains(event.relatedTarget as Node | null)) setDrop(undefined)
    },
    onDrop: (event: DragEvent) => {
      const place = findPlace(event)
      const id = event.dataTransfer.getData(TYPE)
      const channel = [...(sections?.favorites ?? []), ...(sections?.channels ?? [])].find((each) => each.id === id)
      if (!place || !channel) return
      event.preventDefault()
      end()
      if (place.beforeId !== id) void placeChannel(channel, place)
    },
    onDragEnd: end,
  }
  return [dragged !== undefined, drop, handlers] as const
}

const isSame = (one: Place, other: Place) => one.isFavorite === other.isFavorite && one.beforeId === other.beforeId

/** In front of the row whose upper half is below the pointer, or of the next one; at the end below the last. */
function findPlace(event: DragEvent): Place | undefined {
  const section = (event.target as Element).closest('.sidebar-section')
  const list = section?.querySelector<HTMLElement>('[data-section]')
  if (!list) return undefined
  const rows = [...list.querySelectorAll<HTMLElement>('[data-channel]')]
  const next = rows.find((row) => {
    const { top, height } = row.getBoundingClientRect()
    return event.clientY < top + height / 2
  })
  return { isFavorite: list.dataset.section === 'favorites', beforeId: next?.dataset.channel ?? null }
}
