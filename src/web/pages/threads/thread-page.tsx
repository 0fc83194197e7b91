import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ParleyError } from '../../../client'
import type { Thread } from '../../../contract/threads'
import { setLevel } from '../../data/follows'
import { useMe } from '../../data/me'
import { useThreadState } from '../../data/states'
import { getThreadTitle, useThread } from '../../data/threads'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { FollowMenu } from '../../parts/follow-menu'
import { Empty, ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { BackToThreads } from './back-to-threads'
import { Conversation } from './conversation'

/** One thread: participants, messages and composer. */
export function ThreadPage({ id }: { id: string }) {
  const thread = useThread(id)
  const [, navigate] = useLocation()
  if (thread.data) return <OpenThread thread={thread.data} />
  if (thread.error instanceof ParleyError && thread.error.status === 404)
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
        <Participants thread={thread} />
      </header>
      <Conversation thread={thread} />
    </div>
  )
}

const Following = ({ threadId }: { threadId: string }) => (
  <FollowMenu level={useThreadState(threadId).data?.level} choose={(level) => void setLevel(threadId, level)} />
)

const MAX_AVATARS = 5

function Participants({ thread: { members } }: { thread: Thread }) {
  const [isOpen, open] = useState(false)
  return (
    <>
      <Button variant="plain" className="participants" onClick={() => open(true)}>
        <span className="avatar-row">
          {members.slice(0, MAX_AVATARS).map((member) => (
            <Avatar key={member.id} of={member} size={24} />
          ))}
        </span>
        <span className="count">{members.length}</span>
        <span className="visually-hidden"> participants</span>
      </Button>
      {isOpen && (
        <Dialog title="Participants" onClose={() => open(false)}>
          <ul className="participant-list">
            {members.map((member) => (
              <li key={member.id}>
                <Avatar of={member} size={28} />
                {member.type === 'member' ? (
                  <Link href={paths.member(member.id)}>{member.name}</Link>
                ) : (
                  <span>
                    {member.name} <span className="chip">App</span>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  )
}
