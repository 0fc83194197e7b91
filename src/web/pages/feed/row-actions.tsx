import type { Post } from '../../../contract/posts'
import { useMe, usePermissions } from '../../data/me'
import { reopen, resolve } from '../../data/posts'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { paths } from '../../paths'
import { PostMenu } from '../post/post-menu'

/** The menu of a post in a list, with all its actions. It is mounted open. */
export function RowMenu({ post }: { post: Post }) {
  const { writeDeniedReason: disabledReason } = usePermissions()
  const { author } = useMe()
  return (
    <PostMenu
      post={post}
      label={`Actions for ${post.title}`}
      disabledReason={disabledReason}
      isOpen
      first={[
        post.resolution
          ? { label: 'Reopen', icon: 'reopen', disabledReason, run: () => void reopen(post) }
          : { label: 'Resolve', icon: 'check', disabledReason, run: () => void resolve(post, author) },
      ]}
      last={[{ label: 'Copy link', icon: 'link', run: () => void copyLink(paths.post(post.id)) }]}
    />
  )
}

/** Shown on hover and focus. */
export function QuickActions({ post }: { post: Post }) {
  const { writeDeniedReason } = usePermissions()
  const { author } = useMe()
  return (
    <>
      <Button icon="link" variant="plain" label="Copy link" onClick={() => void copyLink(paths.post(post.id))} />
      {post.resolution ? (
        <Button
          icon="reopen"
          variant="plain"
          label="Reopen"
          disabledReason={writeDeniedReason}
          onClick={() => void reopen(post)}
        />
      ) : (
        <Button
          icon="check"
          variant="plain"
          label="Resolve"
          disabledReason={writeDeniedReason}
          onClick={() => void resolve(post, author)}
        />
      )}
    </>
  )
}
