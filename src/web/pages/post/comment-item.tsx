import { memo, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Comment } from '../../../contract/comments'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { channelPlace } from '../../data/audience'
import { checkComment } from '../../data/checklists'
import { createComment, deleteComment, editComment, isPending } from '../../data/comments'
import { draftKeys, readDraft } from '../../data/drafts'
import { useMe, usePermissions } from '../../data/me'
import { resolve } from '../../data/posts'
import { markUnread } from '../../data/reads'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Content } from '../../parts/content'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { Menu } from '../../parts/menu'
import { Time } from '../../parts/time'
import { paths, sources } from '../../paths'
import { ReactionBar } from '../../reactions/reaction-bar'
import { EditText } from './edit-text'
import { EditedMark } from './edited-mark'
import { ResolvedTag } from './post-details'

/** The same for all comments of a post. */
export interface Shared {
  getPost(): Post
  /** The comment that answered the post. */
  answerId: string | undefined
  /** The comment or reply above which “New” is shown. */
  firstUnreadId: string | undefined
  /** The comment that the URL points to. */
  linkedId: string | undefined
  disabledReason: string | undefined
}

interface Props extends Shared {
  comment: Comment
  /** The replies to a top-level comment. */
  children?: ReactNode
}

/** A comment or a reply with its actions. */
export const CommentItem = memo(function CommentItem({
  comment,
  getPost,
  answerId,
  linkedId,
  disabledReason,
  children,
}: Props) {
  const [mode, setMode] = useState<'edit' | 'reply'>()
  const isLinked = comment.id === linkedId
  const [wasLinked, setWasLinked] = useState(false)
  if (isLinked !== wasLinked) {
    setWasLinked(isLinked)
    // The link of a draft leads to the page with its editor.
    if (isLinked && readDraft(draftKeys.reply(comment.id))) setMode('reply')
  }
  const isAnswer = answerId === comment.id
  const isDeleted = comment.content === ''
  const canCheck = usePermissions().canChange(comment.author) && !isPending(comment)
  const modifiers = [isLinked && 'linked', isPending(comment) && 'pending'].filter(Boolean).join(' ')
  const closeForm = () => setMode(undefined)
  return (
    <li id={comment.id} className={`comment ${modifiers}`}>
      {isDeleted ? (
        <article tabIndex={-1} className="meta" aria-label="Deleted comment">
          This comment was deleted.
        </article>
      ) : (
        <article tabIndex={-1} aria-label={`${comment.parent_id ? 'Reply' : 'Comment'} by ${comment.author.name}`}>
          <Avatar of={comment.author} size={28} />
          <div>
            <header className="meta row">
              <span className="who">{comment.author.name}</span>
              <AppMark of={comment.author} />
              <Permalink comment={comment} />
              <EditedMark id={comment.id} isEnabled={!isPending(comment)} />
              {isAnswer && <ResolvedTag label="Answer" />}
            </header>
            {mode === 'edit' ? (
              <EditText
                id={comment.id}
                source={sources.comment(comment.id)}
                html={comment.content}
                label="Edit comment"
                audience={channelPlace(getPost().channel, comment.subject_id)}
                save={(markdown) => editComment(comment.id, markdown)}
                close={closeForm}
              />
            ) : (
              <Content
                html={comment.content}
                onCheck={canCheck ? (check) => void checkComment(comment, check) : undefined}
              />
            )}
            {!isPending(comment) && mode !== 'edit' && (
              <CommentActions
                {...{ comment, getPost, disabledReason, isAnswer }}
                edit={() => setMode('edit')}
                reply={comment.parent_id ? undefined : () => setMode('reply')}
              />
            )}
          </div>
        </article>
      )}
      {children}
      {mode === 'reply' && (
        <div className="replies">
          <Composer
            draftKey={draftKeys.reply(comment.id)}
            label={`Reply to ${comment.author.name}`}
            placeholder="Write a reply…"
            submitLabel="Reply"
            noun="reply"
            autoFocus
            clearOnSubmit
            rows={2}
            audience={channelPlace(getPost().channel, comment.subject_id)}
            disabledReason={disabledReason}
            onCancel={closeForm}
            onSubmit={async (markdown, key) => {
              await createComment(getPost(), comment.id, markdown, key)
              closeForm()
            }}
          />
        </div>
      )}
    </li>
  )
})

const Permalink = ({ comment }: { comment: Comment }) =>
  isPending(comment) ? (
    <span>Sending…</span>
  ) : (
    <Link href={paths.post(comment.subject_id, comment.id)} replace>
      <Time at={comment.created_at} />
    </Link>
  )

interface ActionsProps {
  comment: Comment
  getPost(): Post
  isAnswer: boolean
  disabledReason: string | undefined
  edit(): void
  reply?(): void
}

/** Reply is always visible; the rest on hover and focus, or where there is no hover. */
function CommentActions({ comment, getPost, isAnswer, disabledReason, edit, reply }: ActionsProps) {
  const { author } = useMe()
  const [isMenuOpened, setMenuOpened] = useState(false)
  const resolveWithThis = () => void resolve(getPost(), author, { comment })
  return (
    <footer className="comment-foot">
      <ReactionBar subjectId={comment.id} disabledReason={disabledReason} hasButton />
      {reply && (
        <Button variant="plain" data-do="reply" disabledReason={disabledReason} onClick={reply}>
          Reply
        </Button>
      )}
      {!isAnswer && (
        <Button variant="plain" className="on-hover in-menu" disabledReason={disabledReason} onClick={resolveWithThis}>
          Resolve with this comment
        </Button>
      )}
      <div className="comment-menu on-hover">
        {isMenuOpened ? (
          <CommentMenu {...{ comment, isAnswer, disabledReason, edit, resolveWithThis }} />
        ) : (
          <Button
            icon="dots"
            variant="plain"
            label={MENU_LABEL}
            aria-haspopup="menu"
            onClick={() => setMenuOpened(true)}
          />
        )}
      </div>
    </footer>
  )
}

const MENU_LABEL = 'Comment actions'

interface MenuProps extends Pick<ActionsProps, 'comment' | 'isAnswer' | 'disabledReason' | 'edit'> {
  resolveWithThis(): void
}

/** Mounted open, because a long list would have hundreds of menus. */
function CommentMenu({ comment, isAnswer, disabledReason, edit, resolveWithThis }: MenuProps) {
  const mayChange = usePermissions().canChange(comment.author)
  const [dialog, confirm] = useConfirm()
  const { id, subject_id } = comment
  return (
    <>
      {dialog}
      <Menu
        label={MENU_LABEL}
        isOpen
        entries={[
          !isAnswer && { label: 'Resolve with this comment', icon: 'check', disabledReason, run: resolveWithThis },
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.post(subject_id, id)) },
          { label: 'Mark as unread', icon: 'unread', run: () => void markUnread(subject_id, id) },
          mayChange && { label: 'Edit', icon: 'edit', run: edit },
          mayChange && {
            label: 'Delete',
            icon: 'trash',
            isDanger: true,
            run: () => confirm({ ...askToDelete(comment, isAnswer), run: () => void deleteComment(comment) }),
          },
        ]}
      />
    </>
  )
}

/** Says what else is lost: the answer of the post. */
const askToDelete = ({ replies_count }: Comment, isAnswer: boolean) => ({
  title: isAnswer ? 'Delete the answer to this post?' : 'Delete this comment?',
  text: [
    isAnswer && 'The post stays resolved, but without this answer.',
    replies_count > 0 && 'Replies to the comment are kept.',
    'This cannot be undone.',
  ]
    .filter(Boolean)
    .join(' '),
  label: 'Delete',
})
