import { useQuery } from '@tanstack/react-query'
import { paths } from '../paths'
import { useMe } from './me'
import { parley } from './parley'
import { getThreadTitle } from './threads'

/** What a draft is for, and the page on which it can be continued. */
interface DraftPlace {
  label: string
  path: string
}

/** The place of a draft; undefined while it is loading, null if it was deleted or the member cannot see it. */
export function useDraftPlace(subjectId: string): DraftPlace | null | undefined {
  const { author } = useMe()
  const find = finders[subjectId.split('_')[0]!]
  return useQuery({
    queryKey: ['draft-place', subjectId],
    queryFn: () => find?.(subjectId, author) ?? null,
    // There is no event when the name of a place changes.
    staleTime: 0,
  }).data
}

type Me = Parameters<typeof getThreadTitle>[1]
type Find = (id: string, me: Me) => Promise<DraftPlace | null>

const orNull =
  (find: Find): Find =>
  (id, me) =>
    find(id, me).catch(() => null)

const finders: Record<string, Find> = {
  new: async () => ({ label: 'New post', path: paths.newPost('new') }),
  chan: orNull(async (id) => {
    const { name } = await parley.channels.get({ id })
    return { label: `New post in #${name}`, path: paths.newPost(id) }
  }),
  post: orNull(async (id) => ({
    label: `Comment on “${(await parley.posts.get({ id })).title}”`,
    path: paths.post(id),
  })),
  cmt: orNull(async (id) => {
    const comment = await parley.comments.get({ id })
    const post = await parley.posts.get({ id: comment.subject_id })
    return { label: `Reply to ${comment.author.name} in “${post.title}”`, path: paths.post(post.id, id) }
  }),
  thr: orNull(async (id, me) => ({
    label: `Message in ${getThreadTitle(await parley.threads.get({ id }), me)}`,
    path: paths.thread(id),
  })),
  mem: orNull(async (id) => {
    const { user } = await parley.members.get({ id })
    return { label: `Message to ${user.display_name}`, path: paths.newThread([id]) }
  }),
}
