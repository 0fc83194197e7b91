import { useRoute } from 'wouter'
import { paths, routes } from '../paths'

/** Where a new post is written: in the channel that is shown, if there is one. */
export function useNewPostPath(): string {
  const [, channel] = useRoute(routes.channel)
  const [, files] = useRoute(routes.channelFiles)
  return paths.newPost(channel?.id ?? files?.id)
}
