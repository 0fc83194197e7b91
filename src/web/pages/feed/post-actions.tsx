import { lazy, Suspense, useState } from 'react'
import type { Post } from '../../../contract/posts'
import { useMe, usePermissions } from '../../data/me'
import { reopen, resolve } from '../../data/resolutions'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { paths } from '../../paths'

/** The menu is loaded and mounted when it is opened, because a long list would have hundreds of menus. */
const RowMenu = lazy(async () => ({ default: (await import('./row-menu')).RowMenu }))

/** Actions on a post in the feed, visible on hover and focus. */
export function PostActions({ post }: { post: Post }) {
  const { writeDeniedReason } = usePermissions()
  const { author } = useMe()
  const [isMenuOpened, setMenuOpened] = useState(false)
  const menuButton = (
    <Button
      icon="dots"
      variant="plain"
      label={`Actions for ${post.title}`}
      aria-haspopup="menu"
      onClick={() => setMenuOpened(true)}
    />
  )
  return (
    <div className="row-actions">
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
      {isMenuOpened ? (
        <Suspense fallback={menuButton}>
          <RowMenu post={post} disabledReason={writeDeniedReason} />
        </Suspense>
      ) : (
        menuButton
      )}
    </div>
  )
}
