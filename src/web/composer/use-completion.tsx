import * as Ariakit from '@ariakit/react'
import { useQuery } from '@tanstack/react-query'
import {
  type KeyboardEvent,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { fold } from '../../contract/browser/fold'
import { rememberEmoji } from '../data/emoji'
import { type Mentionable, toMentionText, useMentions } from '../data/mentions'
import { Avatar } from '../parts/avatar'
import { formatCount } from '../parts/format-count'
import { Icon } from '../parts/icon'
import { type Completable, type Completion, findTrigger, insertNamedEmoji, type Trigger } from './completions'
import { replaceRange } from './editing'
import { MentionPlace } from './surface'

const names: Record<Completable, { list: string; verb: string }> = {
  mention: { list: 'Mention suggestions', verb: 'mention' },
  emoji: { list: 'Emoji suggestions', verb: 'insert' },
  block: { list: 'Blocks', verb: 'insert' },
}

/** Where a completion is typed, and where it goes. */
export interface CompletionHost {
  getAnchorRect(trigger: Trigger): { x: number; y: number; height: number } | null
  insert(trigger: Trigger, completion: Completion): void
  /** The blocks that can be inserted. */
  findBlocks?(query: string): Completion[]
}

/** Completes what is typed in a text area. */
export function useAreaCompletion(area: RefObject<HTMLTextAreaElement | null>) {
  const { setTrigger, ...completion } = useCompletion({
    getAnchorRect: ({ at }) => area.current && measureCharacter(area.current, at),
    insert: ({ at }, { toText }) => replaceRange(area.current!, at, area.current!.selectionStart, `${toText()} `),
  })
  return {
    ...completion,
    update() {
      setTrigger(findTrigger(area.current!))
      void insertNamedEmoji(area.current!)
    },
  }
}

/** Completes `@` with members and apps, and `:` with emoji; where there are blocks, also `/` with these. */
export function useCompletion(host: CompletionHost) {
  const store = Ariakit.useComboboxStore({ placement: 'bottom-start' })
  const [trigger, setTrigger] = useState<Trigger>()
  const close = () => setTrigger(undefined)
  const queryOf = (kind: Completable) => (trigger?.kind === kind ? trigger.query : undefined)
  const mentions = useMentionCompletions(queryOf('mention'), close)
  const emoji = useEmojiCompletions(queryOf('emoji'))
  const found =
    trigger === undefined
      ? []
      : trigger.kind === 'block'
        ? (host.findBlocks?.(trigger.query) ?? [])
        : trigger.kind === 'mention'
          ? mentions
          : emoji
  const isOpen = found.length > 0
  useLayoutEffect(() => store.setOpen(isOpen), [store, isOpen])
  useEffect(store.render, [store, trigger])

  const base = useId()
  const itemId = (id: string) => `${base}-${id}`
  function insert(completion: Completion) {
    host.insert(trigger!, completion)
    close()
  }
  const popover = (
    <>
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${formatCount(found.length, 'suggestion')}. Press Enter to ${names[trigger!.kind].verb} ${found[0]!.label}, or the arrow keys to choose.`}
      </p>
      <Ariakit.ComboboxPopover
        store={store}
        className="menu completions"
        aria-label={names[trigger?.kind ?? 'mention'].list}
        hidden={!isOpen}
        unmountOnHide
        fixed
        gutter={4}
        fitViewport
        getAnchorRect={() => (trigger ? host.getAnchorRect(trigger) : null)}
      >
        {found.map((completion) => (
          <Ariakit.ComboboxItem
            key={completion.id}
            id={itemId(completion.id)}
            value={completion.label}
            setValueOnClick={false}
            focusOnHover
            className="menu-item"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => insert(completion)}
          >
            {completion.content}
          </Ariakit.ComboboxItem>
        ))}
      </Ariakit.ComboboxPopover>
    </>
  )
  const key = ({ key: pressed }: Pick<KeyboardEvent, 'key'>) => {
    if (pressed === 'Enter' || pressed === 'Tab') {
      const { activeId } = store.getState()
      insert(found.find(({ id }) => itemId(id) === activeId) ?? found[0]!)
      return true
    }
    if (pressed === 'Escape' || pressed === 'ArrowLeft' || pressed === 'ArrowRight') close()
    return pressed === 'Escape'
  }
  return { store, isOpen, close, key, popover, setTrigger, itemIds: found.map(({ id }) => itemId(id)) }
}

const COPIED = [
  ...([
    'boxSizing',
    'width',
    'fontFamily',
    'fontSize',
    'fontWeight',
    'letterSpacing',
    'lineHeight',
    'tabSize',
  ] as const),
  ...(['paddingTop', 'paddingRight', 'paddingBottom', 'paddingLeft', 'borderTopWidth', 'borderLeftWidth'] as const),
  ...(['borderRightWidth', 'borderBottomWidth', 'wordSpacing', 'textTransform', 'textIndent'] as const),
]

/** Where a character of a text area is in the window. Measured on a copy, since browsers do not report it. */
function measureCharacter(area: HTMLTextAreaElement, at: number) {
  const copy = document.createElement('div')
  const style = getComputedStyle(area)
  for (const name of COPIED) copy.style[name] = style[name]
  Object.assign(copy.style, {
    position: 'absolute',
    top: '0',
    visibility: 'hidden',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'break-word',
    borderStyle: 'solid',
  })
  const letter = document.createElement('span')
  copy.append(area.value.slice(0, at), letter)
  letter.textContent = area.value.slice(at, at + 1) || '.'
  document.body.append(copy)
  const { offsetLeft, offsetTop } = letter
  copy.remove()
  const box = area.getBoundingClientRect()
  return {
    x: box.left + offsetLeft - area.scrollLeft,
    y: box.top + offsetTop - area.scrollTop,
    height: Number.parseFloat(style.lineHeight),
  }
}

const MAX_SHOWN = 8

/** Emoji whose name is being typed. */
function useEmojiCompletions(query: string | undefined): Completion[] {
  const { data: list } = useQuery({
    queryKey: ['emoji'],
    queryFn: () => import('../data/emoji-list'),
    enabled: query !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useMemo(
    () =>
      !list || query === undefined
        ? []
        : list.searchEmoji(query, MAX_SHOWN).map(({ emoji, names }) => ({
            id: names[0]!,
            label: names[0]!.replaceAll('_', ' '),
            content: (
              <>
                <span className="emoji">{emoji}</span>
                <span>:{names.find((name) => name.startsWith(query)) ?? names[0]}:</span>
              </>
            ),
            toText() {
              rememberEmoji(emoji)
              return emoji
            },
          })),
    [list, query],
  )
}

const MAX_MENTIONS_SHOWN = 8

/** Members, apps, groups and everyone in a channel that match a mention being typed. */
function useMentionCompletions(query: string | undefined, close: () => void): Completion[] {
  const { found, isPlaceholderData } = useMentions(query, useContext(MentionPlace))
  const matches = query === undefined || !found ? [] : rankMatches(found, query)
  // A space after a completed name ends the mention.
  const isOver = found !== undefined && matches.length === 0 && !isPlaceholderData && query?.includes(' ')
  useEffect(() => {
    if (isOver) close()
  })
  return matches.map(toCompletion)
}

const toCompletion = (mentioned: Mentionable): Completion => ({
  id: mentioned.id,
  label: mentioned.name,
  content: <MentionedName of={mentioned} />,
  toText: () => toMentionText(mentioned),
})

const describeEveryone = { channel: 'Everyone in this channel', here: 'Those of them who are online' } as const

function MentionedName({ of: mentioned }: { of: Mentionable }) {
  if (mentioned.type === 'everyone' || mentioned.type === 'group')
    return (
      <>
        <span className="completion-icon">
          <Icon name={mentioned.type === 'group' ? 'people' : 'at'} />
        </span>
        <span>{mentioned.name}</span>
        <span className="meta">
          {mentioned.type === 'group' ? formatCount(mentioned.members_count, 'member') : describeEveryone[mentioned.id]}
        </span>
      </>
    )
  return (
    <>
      <Avatar of={mentioned} size={20} />
      <span>{mentioned.name}</span>
      {mentioned.type === 'app' && <span className="chip">App</span>}
    </>
  )
}

/** What is offered before a letter is typed: people. */
const isOffered = ({ type }: Mentionable, typed: string) => typed !== '' || type === 'member' || type === 'app'

/** Filters by name. Names that start with the query come first. */
function rankMatches(mentionable: readonly Mentionable[], query: string): Mentionable[] {
  const typed = fold(query)
  const rank = ({ name }: Mentionable) => ` ${fold(name)}`.indexOf(` ${typed}`)
  const found = mentionable.filter((each) => fold(each.name).includes(typed) && isOffered(each, typed))
  const order = (each: Mentionable) => (rank(each) === 0 ? 0 : rank(each) > 0 ? 1 : 2)
  return found.sort((a, b) => order(a) - order(b)).slice(0, MAX_MENTIONS_SHOWN)
}
