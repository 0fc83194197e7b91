import { useLocation } from 'wouter'
import { ApiError } from '../../../client'
import type { Thread } from '../../../contract/threads'
import { setLevel } from '../../data/follows'
import { useMe } from '../../data/me'
import { useThreadState } from '../../data/states'
import { getThreadTitle, useThread } from '../../data/threads'
import { Button } from '../../parts/button'
import { FollowMenu } from '../../parts/follow-menu'
import { Empty, ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { BackToThreads } from './back-to-threads'
import { Conversation } from './conversation'
import { Participants } from './participants'
import { ThreadFiles } from './thread-files'

/** One thread: participants, messages and composer. */
export function ThreadPage({ id }: { id: string }) {
  const thread = useThread(id)
  const [, navigate] = useLocation()
  if (thread.data) return <OpenThread thread={thread.data} />
  if (thread.error instanceof ApiError && thread.error.status === 404)
    return (
      <div className="threads-page">
        <PageTitle title="Not found" isNotFound />
        <Empty title="Thread not found" action={<Button onClick={() => navigate(paths.threads)}>All threads</Button>}>
          It doesn't exist, or you aren't one of its participants.
        </Empty>
      </div>
    )
  if (thread.error)
    return (
      <div className="threads-page">
        <ProblemNote error={thread.error} retry={() => void thread.refetch()} />
      </div>
    )
  return null
}

function OpenThread({ thread }: { thread: Thread }) {
  const { author } = useMe()
  return (
    <div className="thread">
      <header className="thread-head">
        <BackToThreads />
        <PageTitle title={getThreadTitle(thread, author)} />
        <Following threadId={thread.id} />
        <ThreadFiles threadId={thread.id} />
        <Participants thread={thread} />
      </header>
      <Conversation thread={thread} />
    </div>
  )
}

const Following = ({ threadId }: { threadId: string }) => (
  <FollowMenu level={useThreadState(threadId).data?.level} choose={(level) => void setLevel(threadId, level)} />
)
