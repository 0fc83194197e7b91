import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { reopen, resolveWithNote } from '../../data/resolutions'
import { Avatar } from '../../parts/avatar'
import { Content } from '../../parts/content'
import { copyLink } from '../../parts/copy-link'
import { Dialog } from '../../parts/dialog'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { Time } from '../../parts/time'
import { paths } from '../../paths'

/** Who resolved the post, when, and with which note or comment. */
export function ResolutionNote({ post, disabledReason }: { post: Post; disabledReason: string | undefined }) {
  if (!post.resolution) return null
  const { resolved_by, resolved_at, resolved_html, resolved_comment } = post.resolution
  const place = resolved_comment && paths.post(post.id, resolved_comment.id)
  return (
    <section className="resolution" aria-label="Resolution">
      <div className="resolution-head">
        <p className="meta row">
          <span className="good row">
            <Icon name="check" /> Resolved
          </span>
          <span>
            by <span className="who">{resolved_by.name}</span> · <Time at={resolved_at} />
          </span>
        </p>
        <Menu
          label="Resolution actions"
          entries={[
            { label: 'Reopen', icon: 'reopen', disabledReason, run: () => void reopen(post) },
            place ? { label: 'Copy link', icon: 'link', run: () => void copyLink(place) } : false,
          ]}
        />
      </div>
      {resolved_html && <Content html={resolved_html} />}
      {resolved_comment && (
        <figure>
          <Content html={resolved_comment.content} />
          <figcaption className="meta row">
            <Avatar of={resolved_comment.author} size={20} />
            <span className="who">{resolved_comment.author.name}</span>
            <Link href={place!} replace>
              View in comments
            </Link>
          </figcaption>
        </figure>
      )}
    </section>
  )
}

/** Resolves a post with an optional note. */
export const ResolveDialog = ({ post, close }: { post: Post; close(): void }) => (
  <Dialog title="Resolve this post" onClose={close}>
    <p className="meta">
      The note is optional and shown at the top of the post. To resolve the post with a comment, use the check mark next
      to the comment.
    </p>
    <Composer
      draftKey={`resolve:${post.id}`}
      label="Note"
      submitLabel="Resolve"
      allowEmpty
      autoFocus
      onCancel={close}
      onSubmit={async (note, key) => {
        await resolveWithNote(post, note, key)
        close()
      }}
    />
  </Dialog>
)
