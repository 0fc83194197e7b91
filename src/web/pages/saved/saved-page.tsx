import { useMemo } from 'react'
import { keys } from '../../data/cache/keys'
import { formatReminder, type SavedRecord, useSaved } from '../../data/saved'
import { Icon } from '../../parts/icon'
import { Empty, ProblemNote } from '../../parts/states'
import { formatExactTime } from '../../parts/time'
import { PageTitle } from '../../shell/title'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { PostRow, PostRowSkeleton } from '../feed/post-row'
import { useSaveKey } from '../feed/use-save-key'

/** The saved posts of the member, with their reminders. */
export default function SavedPage() {
  return (
    <main className="page feed" id="main">
      <div className="feed-head">
        <div className="page-head">
          <PageTitle title="Saved" />
        </div>
      </div>
      <SavedPosts />
    </main>
  )
}

function SavedPosts() {
  const from = useStartCursor(keys.saved)
  const saved = useSaved(from)
  useSaveKey(saved.records.map(({ post }) => post))
  if (saved.error && !saved.data) return <ProblemNote error={saved.error} retry={() => void saved.refetch()} />
  if (!saved.data) return <PostRowSkeleton />
  if (saved.records.length === 0 && !saved.hasNextPage && !saved.hasPreviousPage)
    return (
      <Empty title="No saved posts">Save a post from its menu to find it here. Only you can see what you save.</Empty>
    )
  return (
    <InfiniteList name="Saved posts" pages={saved} skeleton={<PostRowSkeleton count={3} />}>
      {(record) => <SavedRow key={record.id} saved={record} />}
    </InfiniteList>
  )
}

function SavedRow({ saved: { post, remind_at } }: { saved: SavedRecord }) {
  const note = useMemo(() => remind_at && <Reminder at={remind_at} />, [remind_at])
  return <PostRow post={post} isInChannel={false} note={note} />
}

const Reminder = ({ at }: { at: string }) => (
  <p className="reminder">
    <Icon name="clock" size={13} />
    <time dateTime={at} title={formatExactTime(at)}>
      Reminder {formatReminder(at)}
    </time>
  </p>
)
