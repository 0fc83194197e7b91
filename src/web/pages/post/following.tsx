import { setLevel } from '../../data/follows'
import { usePostState } from '../../data/states'
import { FollowMenu } from '../../parts/follow-menu'

/** How the member follows a post. */
export const Following = ({ postId }: { postId: string }) => (
  <FollowMenu level={usePostState(postId).data?.level} choose={(level) => void setLevel(postId, level)} />
)
