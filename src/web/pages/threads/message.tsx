import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Message } from '../../../contract/messages'
import type { Author } from '../../../contract/shapes'
import { useEdit } from '../../data/edits'
import { usePermissions } from '../../data/me'
import { toEditorText } from '../../data/mentions'
import { type ShownMessage, useMessage } from '../../data/messages'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Content, toExcerpt } from '../../parts/content'
import { formatExactTime, Time } from '../../parts/time'
import { Via } from '../../parts/via'
import { paths } from '../../paths'
import { ReactionBar } from '../../reactions/reaction-bar'
import { MessageActions } from './message-actions'
import { MessageEditor } from './message-editor'

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

interface Props {
  message: ShownMessage
  isContinuation: boolean
  isLinked: boolean
  isEditing: boolean
  edit(message: Message | undefined): void
  reply(message: Message): void
  goTo(id: string): void
}

/** A message with its time, its quote and its content. */
export function MessageRow(props: Props) {
  const { message, isContinuation, isLinked, isEditing, goTo } = props
  // Actions are rendered on first hover or focus, because there may be hundreds of messages.
  const [isActive, setActive] = useState(false)
  if (message.sending !== undefined)
    return (
      <li className="message pending">
        {!isContinuation && <Writer of={message.author}>{formatTime(message)}</Writer>}
        <div className="message-body">
          {message.parent_id && <Quote id={message.parent_id} threadId={message.thread_id} goTo={goTo} />}
          <p className="message-sending">{toEditorText(message.sending)}</p>
          <span className="visually-hidden">Sending…</span>
        </div>
      </li>
    )
  return (
    <li
      id={message.id}
      className={`message ${isLinked ? 'linked' : ''}`}
      onPointerEnter={() => setActive(true)}
      onFocus={() => setActive(true)}
    >
      {isContinuation ? (
        <Permalink to={message} />
      ) : (
        <Writer of={message.author}>
          <Permalink to={message} />
        </Writer>
      )}
      <div className="message-body">
        {message.parent_id && <Quote id={message.parent_id} threadId={message.thread_id} goTo={goTo} />}
        {isEditing ? <MessageEditor {...props} /> : <Content html={message.content} />}
        {!isEditing && <Marks of={message} />}
        {!isEditing && <Reactions of={message} />}
      </div>
      {isActive && !isEditing && <MessageActions {...props} />}
    </li>
  )
}

/** What wrote a message, if not its author alone, and when it was edited, if it was. */
function Marks({ of: { id, author, created_at, updated_at } }: { of: Message }) {
  // Apps write for themselves.
  const via = useEdit(id, author.type === 'member')?.via
  const isEdited = updated_at > created_at
  return via || isEdited ? (
    <span className="meta">
      <Via name={via} />
      {isEdited && (
        <span className={via ? 'edited' : undefined}>
          edited <Time at={updated_at} />
        </span>
      )}
    </span>
  ) : null
}

/** If there are no reactions, the button to react is among the actions. */
function Reactions({ of: { id } }: { of: Message }) {
  const { writeDeniedReason } = usePermissions()
  return <ReactionBar subjectId={id} disabledReason={writeDeniedReason} />
}

const formatTime = ({ created_at }: Message) => timeFormat.format(new Date(created_at))

/** The time of a message, which links to it: next to the name, or in the gutter where there is no name. */
const Permalink = ({ to: message }: { to: Message }) => (
  <Link
    href={paths.thread(message.thread_id, message.id)}
    replace
    className="message-time"
    title={formatExactTime(message.created_at)}
    data-message
  >
    <time dateTime={message.created_at}>{formatTime(message)}</time>
  </Link>
)

const Writer = ({ of: author, children }: { of: Author; children: ReactNode }) => (
  <>
    <Avatar of={author} size={36} />
    <p className="message-writer">
      <b>{author.name}</b>
      <AppMark of={author} />
      <span className="meta">{children}</span>
    </p>
  </>
)

/** One line of the quoted message, which links to it. */
function Quote({ id, threadId, goTo }: { id: string; threadId: string; goTo(id: string): void }) {
  const { data } = useMessage({ id, thread_id: threadId })
  return (
    <button type="button" className="quote" onClick={() => goTo(id)}>
      <span className="visually-hidden">In reply to </span>
      {data ? (
        <span>
          {data.author.name}: {toExcerpt(data.content)}
        </span>
      ) : (
        <span>a message</span>
      )}
    </button>
  )
}
