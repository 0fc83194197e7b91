import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { channelPlace } from '../../data/audience'
import { draftKeys } from '../../data/drafts'
import { useEdit } from '../../data/edits'
import { reopen, resolveWithNote } from '../../data/posts'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Content } from '../../parts/content'
import { copyLink } from '../../parts/copy-link'
import { Dialog } from '../../parts/dialog'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { Time } from '../../parts/time'
import { Via } from '../../parts/via'
import { paths } from '../../paths'

interface Props {
  post: Post
  /** Whether the comments are there, with which the edits are asked for. */
  isLoaded: boolean
  disabledReason: string | undefined
}

/** The answer at the top of a post: who resolved it, when, and with which note or comment. */
export function ResolutionNote({ post, isLoaded, disabledReason }: Props) {
  const edit = useEdit(post.id, isLoaded)
  if (!post.resolution) return null
  const { resolved_by, resolved_at, resolved_html, resolved_comment } = post.resolution
  const commentPath = resolved_comment && paths.post(post.id, resolved_comment.id)
  return (
    <section className="resolution" aria-label="Resolution">
      <div className="resolution-head">
        <p className="meta">
          <span className="good">
            <Icon name="check" /> Resolved
          </span>{' '}
          by <span className="who">{resolved_by.name}</span> <AppMark of={resolved_by} />{' '}
          <Via name={edit?.resolved_via} /> · <Time at={resolved_at} />
        </p>
        <div className="row">
          {commentPath && (
            <Link href={commentPath} replace>
              View comment
            </Link>
          )}
          <Menu
            label="Resolution actions"
            entries={[
              { label: 'Reopen', icon: 'reopen', disabledReason, run: () => void reopen(post) },
              commentPath ? { label: 'Copy link', icon: 'link', run: () => void copyLink(commentPath) } : false,
            ]}
          />
        </div>
      </div>
      {resolved_html && <Content html={resolved_html} />}
      {resolved_comment && (
        <figure>
          <Content html={resolved_comment.content} />
          {resolved_comment.author.id !== resolved_by.id && (
            <figcaption className="meta row">
              <Avatar of={resolved_comment.author} size={20} />
              <span className="who">{resolved_comment.author.name}</span>
              <AppMark of={resolved_comment.author} />
            </figcaption>
          )}
        </figure>
      )}
      {!resolved_comment && edit?.answer_deleted_at && (
        <p className="meta">The comment that answered this was deleted.</p>
      )}
    </section>
  )
}

/** Resolves a post with an optional note. */
export const ResolveDialog = ({ post, close }: { post: Post; close(): void }) => (
  <Dialog title="Resolve this post" onClose={close}>
    <p className="meta">
      Add a note if you like: it is shown at the top of the post. If a comment is the answer, choose “Resolve with this
      comment” below that comment instead.
    </p>
    <Composer
      draftKey={draftKeys.resolution(post.id)}
      label="Note"
      submitLabel="Resolve"
      noun="note"
      allowEmpty
      autoFocus
      audience={channelPlace(post.channel, post.id)}
      onCancel={close}
      onSubmit={async (note, key) => {
        await resolveWithNote(post, note, key)
        close()
      }}
    />
  </Dialog>
)
