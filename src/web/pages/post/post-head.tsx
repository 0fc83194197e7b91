import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { Post } from '../../../contract/posts'
import { usePermissions } from '../../data/me'
import { deletePost } from '../../data/posts'
import { markUnread } from '../../data/reads'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { EditedMark } from './edited-mark'
import { Person } from './post-details'
import { PostMenu } from './post-menu'

interface Props {
  post: Post
  disabledReason: string | undefined
  edit(): void
  resolve(): void
  /** How the member follows the post. */
  following?: ReactNode
}

/** The channel of a post, above its title, and what can be done with the post. */
export function PostTop({ post, disabledReason, edit, resolve, following }: Props) {
  const [, navigate] = useLocation()
  const mayChange = usePermissions().canChange(post.author)
  const [dialog, confirm] = useConfirm()
  const remove = () => {
    navigate(paths.channel(post.channel.id), { replace: true })
    void deletePost(post)
  }
  return (
    <div className="post-top">
      {dialog}
      <Link href={paths.channel(post.channel.id)} className="post-channel">
        #{post.channel.name}
      </Link>
      <div className="row">
        {following}
        {!post.resolution && (
          <Button icon="check" variant="plain" disabledReason={disabledReason} onClick={resolve}>
            Resolve
          </Button>
        )}
        <PostMenu
          post={post}
          label="Post actions"
          disabledReason={disabledReason}
          first={[
            { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.post(post.id)) },
            { label: 'Mark as unread', icon: 'unread', run: () => void markUnread(post.id) },
          ]}
          last={[
            mayChange && { label: 'Edit', icon: 'edit', run: edit },
            mayChange && {
              label: 'Delete',
              icon: 'trash',
              isDanger: true,
              run: () =>
                confirm({
                  title: 'Delete this post?',
                  text: 'This also deletes its comments, and cannot be undone.',
                  label: 'Delete',
                  run: remove,
                }),
            },
          ]}
        />
      </div>
    </div>
  )
}

/** Who wrote a post, and when. */
export const Byline = ({ post, isLoaded }: { post: Post; isLoaded: boolean }) => (
  <p className="byline meta">
    <Avatar of={post.author} size={28} />
    <span className="who">
      <Person of={post.author} />
    </span>
    <AppMark of={post.author} />
    <span>
      <Time at={post.created_at} /> <EditedMark id={post.id} isEnabled={isLoaded} />
    </span>
  </p>
)
