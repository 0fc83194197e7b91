import { useRoute } from 'wouter'
import { paths, routes } from '../paths'

/** Where a new post is written: in the channel that is shown, or being loaded, if there is one. */
export function useNewPostPath(): string {
  const [, channel] = useRoute(routes.channel)
  const [, files] = useRoute(routes.channelFiles)
  const [, about] = useRoute(routes.channelAbout)
  return paths.newPost(channel?.id ?? files?.id ?? about?.id)
}
