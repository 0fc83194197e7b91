import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Message } from '../../../contract/messages'
import type { Author } from '../../../contract/shapes'
import { Composer } from '../../composer/composer'
import { PendingNote } from '../../composer/pending-note'
import { threadPlace } from '../../data/audience'
import { draftKeys } from '../../data/drafts'
import { useEdit } from '../../data/edits'
import { textToHtml, useSource } from '../../data/markdown'
import { usePermissions, usePreferences } from '../../data/me'
import { deleteMessage, type ShownMessage, updateMessage, useMessage } from '../../data/messages'
import { markUnread } from '../../data/reads'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Content } from '../../parts/content'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { toExcerpt } from '../../parts/html-text'
import { Menu } from '../../parts/menu'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { formatExactTime, Time } from '../../parts/time'
import { Via } from '../../parts/via'
import { paths, sources } from '../../paths'
import { ReactButton } from '../../reactions/react-button'
import { ReactionBar } from '../../reactions/reaction-bar'

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

interface Props {
  message: ShownMessage
  isContinuation: boolean
  isLinked: boolean
  isEditing: boolean
  edit(message: Message | undefined): void
  reply(message: Message): void
  goTo(id: string): void
  /** A reply that was not sent is written again. */
  replyAgain(message: Message): void
}

/** A message with its time, its quote and its content. */
export function MessageRow(props: Props) {
  const { message, isContinuation, isLinked, isEditing, goTo } = props
  // Actions are rendered on first hover or focus, because there may be hundreds of messages.
  const [isActive, setActive] = useState(false)
  if (message.pending)
    return (
      <li className="message pending">
        {!isContinuation && <Writer of={message.author}>{formatTime(message)}</Writer>}
        <div className="message-body">
          {message.parent_id && <Quote id={message.parent_id} threadId={message.thread_id} goTo={goTo} />}
          <Content html={textToHtml(message.pending.input.content_markdown)} />
          <PendingNote entry={message.pending} onEdit={() => props.replyAgain(message)} />
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

interface MessageActionsProps {
  message: Message
  edit(message: Message): void
  reply(message: Message): void
}

/** What can be done with a message. */
function MessageActions({ message, edit, reply }: MessageActionsProps) {
  const { writeDeniedReason, canChange } = usePermissions()
  const [question, confirm] = useConfirm()
  const mayChange = canChange(message.author)
  const remove = () =>
    confirm({
      title: 'Delete this message?',
      text: 'It will be deleted for everyone in the thread. This cannot be undone.',
      label: 'Delete',
      run: () => void deleteMessage(message),
    })
  return (
    <div className="message-actions">
      <ReactButton subjectId={message.id} disabledReason={writeDeniedReason} className="button plain icon" />
      <Button
        icon="reply"
        variant="plain"
        label="Reply"
        disabledReason={writeDeniedReason}
        onClick={() => reply(message)}
      />
      <Menu
        label="Message actions"
        entries={[
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.thread(message.thread_id, message.id)) },
          { label: 'Mark as unread', icon: 'unread', run: () => void markUnread(message.thread_id, message.id) },
          mayChange && { label: 'Edit', icon: 'edit', run: () => edit(message) },
          mayChange && { label: 'Delete', icon: 'trash', isDanger: true, run: remove },
        ]}
      />
      {question}
    </div>
  )
}

interface MessageEditorProps {
  message: Message
  edit(message: undefined): void
}

/** A message while it is being edited. */
function MessageEditor({ message, edit }: MessageEditorProps) {
  const source = useSource(sources.message(message.id), message.content)
  const { enter_sends } = usePreferences()
  const done = () => edit(undefined)
  if (source.error) return <ProblemNote error={source.error} retry={() => void source.refetch()} />
  if (source.data === undefined)
    return (
      <Loading what="the message">
        <Skeleton width="60%" />
      </Loading>
    )
  return (
    <Composer
      draftKey={draftKeys.edit(message.id)}
      sendsOnEnter={enter_sends}
      label="Edit message"
      submitLabel="Save"
      initial={source.data}
      rows={2}
      autoFocus
      audience={threadPlace(message.thread_id)}
      onCancel={done}
      onSubmit={async (markdown) => {
        await updateMessage(message.id, markdown)
        done()
      }}
    />
  )
}
