import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import type { Author } from '../../../contract/shapes'
import { listParticipants, useComments } from '../../data/comments'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { Icon } from '../../parts/icon'
import { paths } from '../../paths'

const MAX_AVATARS = 12

/** Facts about a post that its head does not show: in the margin on wide screens, under the title on smaller ones. */
export function Details({ post, children }: { post: Post; children?: ReactNode }) {
  const comments = useComments(post.id)
  const people = listParticipants(post)
  return (
    <aside className="post-facts" aria-label="About this post">
      <dl>
        <Fact name="State">{post.resolution ? <ResolvedTag label="Resolved" /> : 'Open'}</Fact>
        <Fact name={comments.hasNextPage || comments.hasPreviousPage ? 'Participants so far' : 'Participants'}>
          <ul className="avatar-row">
            {people.slice(0, MAX_AVATARS).map((person) => (
              <li key={person.id} title={person.name}>
                <Avatar of={person} size={28} />
                <span className="visually-hidden">{person.name}</span>
              </li>
            ))}
            {people.length > MAX_AVATARS && <li className="meta">and {people.length - MAX_AVATARS} more</li>}
          </ul>
        </Fact>
        {children}
      </dl>
      <Button icon="link" onClick={() => void copyLink(paths.post(post.id))}>
        Copy link
      </Button>
    </aside>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** The green mark of what resolves a post. */
export const ResolvedTag = ({ label }: { label: string }) => (
  <span className="tag good">
    <Icon name="check" size={12} /> {label}
  </span>
)

/** Members have a page, apps do not. */
export const Person = ({ of: { id, type, name } }: { of: Author }) =>
  type === 'member' ? <Link href={paths.member(id)}>{name}</Link> : name
