import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Author } from '../../../contract/authors'
import type { Post } from '../../../contract/posts'
import { listParticipants, useComments } from '../../data/comments'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { Time } from '../../parts/time'
import { paths } from '../../paths'

const MAX_AVATARS = 12

/** Facts about a post: in the margin on wide screens, under the title otherwise. */
export function Details({ post }: { post: Post }) {
  const comments = useComments(post.id)
  const people = listParticipants(post)
  const { resolution, channel, author } = post
  return (
    <aside className="post-facts" aria-label="About this post">
      <dl>
        <Fact name="Channel" isInHead>
          <Link href={paths.channel(channel.id)}>{channel.name}</Link>
        </Fact>
        <Fact name="Author" isInHead>
          <Person of={author} />
        </Fact>
        <Fact name="Status" isInHead={resolution !== null}>
          {resolution ? (
            <>
              <span className="good">Resolved</span> by <bdi>{resolution.resolved_by.name}</bdi>,{' '}
              <Time at={resolution.resolved_at} />
            </>
          ) : (
            'Open'
          )}
        </Fact>
        <Fact name={comments.hasNextPage || comments.hasPreviousPage ? 'Participants so far' : 'Participants'}>
          <ul className="row">
            {people.slice(0, MAX_AVATARS).map((person) => (
              <li key={person.id} title={person.name}>
                <Avatar of={person} size={24} />
                <span className="visually-hidden">{person.name}</span>
              </li>
            ))}
            {people.length > MAX_AVATARS && <li className="meta">and {people.length - MAX_AVATARS} more</li>}
          </ul>
        </Fact>
      </dl>
      <Button icon="link" onClick={() => void copyLink(paths.post(post.id))}>
        Copy link
      </Button>
    </aside>
  )
}

const Fact = ({ name, isInHead, children }: { name: string; isInHead?: boolean; children: ReactNode }) => (
  <div className={isInHead ? 'in-head' : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Members have a page, apps do not. */
export const Person = ({ of: { id, type, name } }: { of: Author }) =>
  type === 'member' ? <Link href={paths.member(id)}>{name}</Link> : name
