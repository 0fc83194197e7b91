import type { Post } from '../../../contract/posts'
import { PostMenu } from '../post/post-menu'

/** What else can be done with a post in a list. It is open at first. */
export const RowMenu = ({ post, disabledReason }: { post: Post; disabledReason: string | undefined }) => (
  <PostMenu post={post} label={`Actions for ${post.title}`} disabledReason={disabledReason} isOpen />
)
