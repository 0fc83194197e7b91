import type { Post } from '../../../contract/posts'
import { PostMenu } from '../post/post-menu'

/** The menu of a post in a list. It is mounted open. */
export const RowMenu = ({ post, disabledReason }: { post: Post; disabledReason: string | undefined }) => (
  <PostMenu post={post} label={`Actions for ${post.title}`} disabledReason={disabledReason} isOpen />
)
