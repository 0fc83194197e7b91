import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Comment } from '../../../contract/comments'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { createComment, deleteComment, editComment, isPending } from '../../data/commenting'
import { useMe, usePermissions } from '../../data/me'
import { resolve } from '../../data/resolutions'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Content } from '../../parts/content'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { Time } from '../../parts/time'
import { paths, sources } from '../../paths'
import { EditText } from './edit-text'

interface Props {
  comment: Comment
  post: Post
  isLinked: boolean
  isNew?: boolean
  disabledReason: string | undefined
  /** The replies to a top-level comment. */
  children?: ReactNode
}

/** A comment or a reply with its actions. */
export function CommentItem({ comment, post, isLinked, isNew, disabledReason, children }: Props) {
  const [mode, setMode] = useState<'edit' | 'reply'>()
  const isAnswer = post.resolution?.resolved_comment?.id === comment.id
  const isDeleted = comment.content === ''
  const modifiers = [isLinked && 'linked', isPending(comment) && 'pending', isAnswer && 'answer']
    .filter(Boolean)
    .join(' ')
  const closeForm = () => setMode(undefined)
  return (
    <li id={comment.id} className={`comment ${modifiers}`}>
      {isDeleted ? (
        <article tabIndex={-1} className="meta" aria-label="Deleted comment">
          This comment was deleted.
        </article>
      ) : (
        <article tabIndex={-1} aria-label={`${comment.parent_id ? 'Reply' : 'Comment'} by ${comment.author.name}`}>
          <header className="meta row">
            <Avatar of={comment.author} size={24} />
            <span className="who">{comment.author.name}</span>
            <Permalink comment={comment} />
            {isNew && <span className="chip">New</span>}
            {isAnswer && (
              <span className="good row">
                <Icon name="check" /> Resolved the post
              </span>
            )}
          </header>
          {mode === 'edit' ? (
            <EditText
              id={comment.id}
              source={sources.comment(comment.id)}
              html={comment.content}
              label="Edit comment"
              save={(markdown) => editComment(comment.id, markdown)}
              close={closeForm}
            />
          ) : (
            <Content html={comment.content} />
          )}
          {!isPending(comment) && mode !== 'edit' && (
            <CommentActions
              {...{ comment, post, disabledReason }}
              edit={() => setMode('edit')}
              reply={comment.parent_id ? undefined : () => setMode('reply')}
            />
          )}
        </article>
      )}
      {children}
      {mode === 'reply' && (
        <div className="replies">
          <Composer
            draftKey={`reply:${comment.id}`}
            label={`Reply to ${comment.author.name}`}
            submitLabel="Reply"
            autoFocus
            clearOnSubmit
            rows={2}
            disabledReason={disabledReason}
            onCancel={closeForm}
            onSubmit={async (markdown, key) => {
              await createComment(post, comment.id, markdown, key)
              closeForm()
            }}
          />
        </div>
      )}
    </li>
  )
}

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
  post: Post
  disabledReason: string | undefined
  edit(): void
  reply?(): void
}

function CommentActions({ comment, post, disabledReason, edit, reply }: ActionsProps) {
  const { author } = useMe()
  const { changeDeniedReason } = usePermissions()
  const [dialog, confirm] = useConfirm()
  const isAnswer = post.resolution?.resolved_comment?.id === comment.id
  const editDeniedReason = disabledReason ?? changeDeniedReason(comment.author)
  const resolveWithThis = () => void resolve(post, author, { comment })
  return (
    <div className="comment-actions">
      {dialog}
      {reply && (
        <Button
          icon="reply"
          variant="plain"
          label="Reply"
          data-do="reply"
          disabledReason={disabledReason}
          onClick={reply}
        />
      )}
      {!isAnswer && (
        <Button
          icon="check"
          variant="plain"
          label="Resolve with this comment"
          className="in-menu"
          disabledReason={disabledReason}
          onClick={resolveWithThis}
        />
      )}
      <Menu
        label="Comment actions"
        entries={[
          !isAnswer && { label: 'Resolve with this comment', icon: 'check', disabledReason, run: resolveWithThis },
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.post(post.id, comment.id)) },
          { label: 'Edit', icon: 'edit', disabledReason: editDeniedReason, run: edit },
          {
            label: 'Delete',
            icon: 'trash',
            isDanger: true,
            disabledReason: editDeniedReason,
            run: () =>
              confirm({
                title: 'Delete this comment?',
                text:
                  comment.replies_count > 0 ? 'Its replies are kept. This cannot be undone.' : 'This cannot be undone.',
                label: 'Delete',
                run: () => void deleteComment(comment),
              }),
          },
        ]}
      />
    </div>
  )
}
