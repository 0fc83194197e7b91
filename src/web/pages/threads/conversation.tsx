import { Fragment, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Message } from '../../../contract/messages'
import type { Author } from '../../../contract/shapes'
import type { Thread } from '../../../contract/threads'
import { Composer } from '../../composer/composer'
import { findSurface, WRITING } from '../../composer/surface'
import { threadPlace } from '../../data/audience'
import { draftKeys } from '../../data/drafts'
import { useMe, usePermissions, usePreferences } from '../../data/me'
import { type ShownMessage, sendMessage, showLatest, useMessages, usePendingMessages } from '../../data/messages'
import { useReading } from '../../data/reads'
import { useThreadState } from '../../data/unread'
import { Button } from '../../parts/button'
import { toExcerpt } from '../../parts/html-text'
import { NewDivider } from '../../parts/new-divider'
import { notifyProblem } from '../../parts/notices'
import { getShortName } from '../../parts/short-name'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { useNearPages } from '../../parts/use-near-viewport'
import { paths } from '../../paths'
import { formatDay } from './day-name'
import { MessageRow } from './message'
import { useLinkedId, useLinkedMessage } from './use-linked-message'
import { type Day, type GroupedMessage, groupByDay, sortOldestFirst, useMessageKeys } from './use-message-keys'
import { useScrollAnchor } from './use-scroll-anchor'

/** The messages of a thread, oldest first, and the composer. */
export function Conversation({ thread }: { thread: Thread }) {
  const linkedId = useLinkedId()
  const messages = useMessages(thread.id, linkedId)
  if (messages.error && !messages.data)
    return <ProblemNote error={messages.error} retry={() => void messages.refetch()} />
  if (!messages.data) return <MessageSkeleton />
  return <Messages thread={thread} messages={messages} linkedId={linkedId} />
}

interface MessagesProps {
  thread: Thread
  messages: ReturnType<typeof useMessages>
  linkedId: string | undefined
}

function Messages({ thread, messages, linkedId }: MessagesProps) {
  const { author } = useMe()
  const { writeDeniedReason, canChange } = usePermissions()
  const { enter_sends } = usePreferences()
  const [, navigate] = useLocation()
  const box = useRef<HTMLElement>(null)
  const foot = useRef<HTMLElement>(null)
  const [replyTo, setReplyTo] = useState<Message>()
  const [editedMessage, setEditedMessage] = useState<Message>()

  const isWhole = !messages.hasPreviousPage
  const pending = usePendingMessages(thread.id)
  const shown = [...sortOldestFirst(messages.records), ...pending]
  const scroll = useScrollAnchor(box, messages.data, isWhole)
  const isLoadingLinked = useLinkedMessage(thread.id, linkedId, messages.data, scroll.goTo)
  const { announced, hasNew, firstUnreadId } = useNewMessages(thread, shown, scroll.isAtEnd)
  const { before: newer, after: older } = useNearPages(messages, !isLoadingLinked)

  const write = () => findSurface(foot.current)?.focus()
  /** Escape leaves the text, which stays as a draft. A list of completions closes first. */
  const leaveText = (event: KeyboardEvent) => {
    const isInText = event.target instanceof HTMLElement && event.target.hasAttribute(WRITING)
    if (event.key === 'Escape' && isInText && !event.defaultPrevented) box.current!.focus({ preventScroll: true })
  }
  const reply = (message: Message) => {
    setReplyTo(message)
    write()
  }
  const goToEnd = async () => {
    if (!isWhole) await showLatest(thread.id)
    scroll.goToEnd()
  }
  const goTo = (id: string) => {
    const row = linkedId === id && document.getElementById(id)
    if (row) scroll.goTo(row)
    else navigate(paths.thread(thread.id, id), { replace: true, state: history.state })
  }
  const send = async (markdown: string, idempotencyKey: string) => {
    // Without a connection, the end cannot be loaded, and the message is sent later.
    void goToEnd().catch(() => undefined)
    const parent = replyTo
    setReplyTo(undefined)
    try {
      await sendMessage(thread.id, { markdown, parent, idempotencyKey })
    } catch (error) {
      setReplyTo(parent)
      throw error
    }
  }
  useMessageKeys(box, {
    write,
    reply: (message) => writeDeniedReason ?? reply(message),
    edit: (message) => canChange(message.author) && setEditedMessage(message),
    find: (id) => shown.find((message) => message.id === id),
  })

  const row = ({ message, isContinuation }: GroupedMessage) => (
    <MessageRow
      message={message}
      isContinuation={isContinuation}
      isLinked={message.id === linkedId}
      isEditing={message.id === editedMessage?.id}
      edit={setEditedMessage}
      reply={reply}
      goTo={goTo}
      replyAgain={({ parent_id }) => setReplyTo(shown.find(({ id }) => id === parent_id))}
    />
  )
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <section ref={box} className="thread-scroll" aria-label="Messages" tabIndex={0}>
        <div className="thread-inner">
          <div ref={older} />
          {messages.isFetchNextPageError && (
            <ProblemNote error={messages.error} retry={() => void messages.fetchNextPage()} />
          )}
          {shown.length === 0 && <Empty title="No messages yet">Write the first one below.</Empty>}
          {groupByDay(shown).map((day) => (
            <DaySection key={day.key} day={day} firstUnreadId={firstUnreadId} row={row} />
          ))}
          <div ref={newer} />
        </div>
      </section>
      <p className="visually-hidden" role="status">
        {announced && `${announced.author.name}: ${toExcerpt(announced.content)}`}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the text has the focus; this is where its Escape arrives. */}
      <footer ref={foot} className="thread-foot" onKeyDown={leaveText}>
        {!scroll.isAtEnd && (hasNew || scroll.isFar) && (
          <Button
            className="to-latest"
            variant={hasNew ? 'primary' : undefined}
            onClick={() => void goToEnd().catch((error) => notifyProblem("Couldn't load the new messages.", error))}
          >
            {hasNew ? 'New messages' : 'Latest messages'}
          </Button>
        )}
        {replyTo && (
          <p className="replying meta">
            <span>
              Reply to <b>{replyTo.author.name}</b> {toExcerpt(replyTo.content)}
            </span>
            <Button icon="close" variant="plain" label="Cancel reply" onClick={() => setReplyTo(undefined)} />
          </p>
        )}
        <Composer
          draftKey={draftKeys.message(thread.id)}
          sendsOnEnter={enter_sends}
          label="Message"
          submitLabel="Send"
          noun="message"
          placeholder={`Message ${listNames(thread, author)}`}
          rows={1}
          autoFocus={history.state?.isNew}
          disabledReason={writeDeniedReason}
          audience={threadPlace(thread.id)}
          clearOnSubmit
          onSubmit={send}
        />
      </footer>
    </>
  )
}

const nameList = new Intl.ListFormat('en')
const MAX_NAMES = 3

/** Whom a message goes to: the other participants, or the thread if they are many. */
function listNames(thread: Thread, me: Author): string {
  const others = thread.members.filter(({ id }) => id !== me.id)
  if (others.length === 0) return 'yourself'
  if (others.length > MAX_NAMES) return thread.title
  return nameList.format(others.map((other) => (others.length > 1 ? getShortName(other) : other.name)))
}

interface DayProps {
  day: Day
  firstUnreadId: string | undefined
  row(grouped: GroupedMessage): ReactNode
}

const DaySection = ({ day, firstUnreadId, row }: DayProps) => (
  <section className="thread-day">
    <h2 className="meta">{formatDay(day.at)}</h2>
    <ol>
      {day.messages.map((grouped) => (
        <Fragment key={grouped.message.id}>
          {grouped.message.id === firstUnreadId && <NewDivider />}
          {row(grouped)}
        </Fragment>
      ))}
    </ol>
  </section>
)

const MessageSkeleton = () => (
  <div className="thread-scroll">
    <Loading what="messages">
      <div className="thread-inner">
        {[62, 40, 74, 55, 68].map((width) => (
          <div key={width} className="message-skeleton">
            <Skeleton width={28} height={28} />
            <Skeleton width={120} />
            <Skeleton width={`${width}%`} />
          </div>
        ))}
      </div>
    </Loading>
  </div>
)

/** Reads the thread at its end. Tells what was unread when it was opened, and what arrives while the user has scrolled up. */
function useNewMessages({ id, last_activity_at }: Thread, shown: readonly ShownMessage[], isAtEnd: boolean) {
  const { author } = useMe()
  const latest = shown.at(-1)
  const others = latest && latest.author.id !== author.id ? latest : undefined

  const lastId = shown.findLast(({ pending }) => pending === undefined)?.id
  const firstUnreadId = useReading({ subjectId: id, state: useThreadState(id), isShown: isAtEnd, lastId })
  const seenAt = useRef(last_activity_at)
  if (isAtEnd) seenAt.current = last_activity_at
  const hasNew = last_activity_at > seenAt.current
  const openedAt = useRef(last_activity_at)

  const isAnnounced = others && others.created_at > openedAt.current
  return { firstUnreadId, hasNew, announced: isAnnounced ? others : undefined }
}
