import { useReactions, useWhoReacted } from '../data/reactions'
import { Avatar } from '../parts/avatar'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { Loading, ProblemNote, Skeleton } from '../parts/states'
import { EmojiImage } from './emoji-image'

/** Who reacted to a record, and with what. */
export function WhoReacted({ subjectId, close }: { subjectId: string; close(): void }) {
  const query = useWhoReacted(subjectId)
  const urls = new Map(useReactions(subjectId).map(({ emoji, url }) => [emoji, url]))
  const all = query.data?.pages.flatMap(({ data }) => data)
  return (
    <Dialog title="Reactions" onClose={close}>
      {query.error && <ProblemNote error={query.error} retry={() => void query.refetch()} />}
      {all ? (
        <ul className="who-reacted">
          {all.map(({ emoji, author }) => (
            <li key={`${author.id} ${emoji}`}>
              <Avatar of={author} size={28} />
              <span className="who">{author.name}</span>
              <EmojiImage emoji={emoji} url={urls.get(emoji) ?? null} />
            </li>
          ))}
        </ul>
      ) : (
        <Loading what="reactions">
          <Skeleton width="60%" />
        </Loading>
      )}
      {query.hasNextPage && <Button onClick={() => void query.fetchNextPage()}>Show more</Button>}
    </Dialog>
  )
}
