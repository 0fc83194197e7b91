import { Link } from 'wouter'
import { PendingNote } from '../composer/pending-note'
import type { Waiting } from '../data/cache/queue'
import { useMe } from '../data/me'
import { signOut } from '../data/sessions'
import { describePost, describeUnsent, describeWaiting, useWaiting } from '../data/waiting'
import { Avatar } from '../parts/avatar'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { notifyProblem } from '../parts/notices'

/** Everything that waits to be sent, and what was not sent. */
export function WaitingList({ close }: { close(): void }) {
  const { waiting, refused } = useWaiting()
  return (
    <Dialog title="Not sent yet" onClose={close}>
      {waiting.length + refused.length === 0 && <p className="meta">Everything has been sent.</p>}
      <ul className="waiting-list">
        {[...refused, ...waiting].map((entry) => (
          <WaitingRow key={entry.id} entry={entry} close={close} />
        ))}
      </ul>
    </Dialog>
  )
}

function WaitingRow({ entry, close }: { entry: Waiting; close(): void }) {
  const { label, text, path } = describeWaiting(entry)
  return (
    <li>
      <Link href={path} onClick={close}>
        {label}
      </Link>
      {text && (
        <p className="meta" dir="auto">
          {text}
        </p>
      )}
      <PendingNote entry={entry} onEdit={close} />
    </li>
  )
}

/** Asks before what has not been sent is deleted. */
export function SignOutQuestion({ close }: { close(): void }) {
  return (
    <Dialog title="Sign out?" onClose={close}>
      <p>{describeUnsent()}</p>
      <div className="row end">
        <Button onClick={close}>Cancel</Button>
        <Button
          variant="danger primary"
          onClick={() => {
            close()
            void signOut().catch((error) => notifyProblem("Couldn't sign out.", error))
          }}
        >
          Sign out
        </Button>
      </div>
    </Dialog>
  )
}

/** The posts that wait, as rows of a feed. */
export const WaitingPostRows = ({ entries, isInChannel }: { entries: readonly Waiting[]; isInChannel: boolean }) => (
  <ol className="waiting-posts" aria-label="Posts that wait to be sent">
    {entries.toReversed().map((entry) => (
      <WaitingPostRow key={entry.id} entry={entry} isInChannel={isInChannel} />
    ))}
  </ol>
)

function WaitingPostRow({ entry, isInChannel }: { entry: Waiting; isInChannel: boolean }) {
  const { author } = useMe()
  const { title, excerpt, channel } = describePost(entry)
  return (
    <li className="post-row pending">
      <Avatar of={author} size={36} />
      <div className="post-row-body">
        <p className="byline">
          <span className="who">{author.name}</span>
          {!isInChannel && <span>in {channel}</span>}
        </p>
        <h2 dir="auto">{title}</h2>
        {excerpt && (
          <p className="excerpt" dir="auto">
            {excerpt}
          </p>
        )}
        <PendingNote entry={entry} />
      </div>
    </li>
  )
}
