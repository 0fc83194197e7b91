import { useLocation } from 'wouter'
import { ApiError } from '../../../client'
import type { Member } from '../../../contract/members'
import type { OpenSignInLink as Link } from '../../../contract/sign-in-links'
import { keys } from '../../data/cache/keys'
import { useMe, usePermissions, useProfile } from '../../data/me'
import { revokeSignInLink, useMember, useSignInLink } from '../../data/members'
import { useFeed } from '../../data/posts'
import { getDirectMessagePath } from '../../data/threads'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { useConfirm } from '../../parts/dialog'
import { formatCount } from '../../parts/format-count'
import { formatTimeZone, isKnownTimeZone, LocalTime } from '../../parts/local-time'
import { Menu } from '../../parts/menu'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { PostRow, PostRowSkeleton } from '../feed/post-row'
import { Expiry } from '../settings/parts'
import { MemberChips } from './member-rows'
import { useMemberActions } from './use-member-actions'

/** A member: profile, posts, direct message, and actions for admins. */
export default function MemberPage({ id }: { id: string }) {
  const { data: member, error, refetch } = useMember(id)
  const [, navigate] = useLocation()
  return (
    <main className="page" id="main">
      {member ? (
        <Details member={member} />
      ) : error instanceof ApiError && error.status === 404 ? (
        <>
          <PageTitle title="Not found" isNotFound />
          <Empty title="Member not found" action={<Button onClick={() => navigate(paths.members)}>All members</Button>}>
            This member does not exist, or you cannot see them.
          </Empty>
        </>
      ) : error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="the member">
          <Skeleton width={64} height={64} />
          <Skeleton width={220} height={20} />
        </Loading>
      )}
    </main>
  )
}

function Details({ member }: { member: Member }) {
  const { user, is_deactivated } = member
  const profile = useProfile(member.id).data
  const [dialogs, actionsFor] = useMemberActions()
  return (
    <>
      <div className={`member-head ${is_deactivated ? 'deactivated' : ''}`}>
        <Avatar of={{ ...user, type: 'member' }} size={64} />
        <div>
          <PageTitle title={user.display_name} />
          {profile?.job_title && <p dir="auto">{profile.job_title}</p>}
          <MemberChips member={member} />
        </div>
        <div className="row">
          <MainAction member={member} />
          {actionsFor(member).length > 0 && (
            <Menu label={`Actions for ${user.display_name}`} entries={actionsFor(member)} />
          )}
        </div>
      </div>
      <Facts member={member} timeZone={profile?.time_zone ?? null} />
      <MemberPosts member={member} />
      {dialogs}
    </>
  )
}

function MainAction({ member: { id, user, is_deactivated } }: { member: Member }) {
  const { author } = useMe()
  const { writeDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  if (author.id === id)
    return (
      <Button icon="edit" onClick={() => navigate(paths.settings('profile'))}>
        Edit profile
      </Button>
    )
  const disabledReason =
    writeDeniedReason ?? (is_deactivated ? `${user.display_name} is deactivated and cannot read messages.` : undefined)
  return (
    <Button
      icon="threads"
      variant="primary"
      disabledReason={disabledReason}
      onClick={() => navigate(getDirectMessagePath(id))}
    >
      Message
    </Button>
  )
}

function Facts({ member, timeZone }: { member: Member; timeZone: string | null }) {
  const { isAdmin } = usePermissions()
  const { user, created_at, is_deactivated } = member
  return (
    <dl className="member-facts">
      {timeZone && isKnownTimeZone(timeZone) && (
        <div>
          <dt>Local time</dt>
          <dd>
            <LocalTime zone={timeZone} />
          </dd>
        </div>
      )}
      {timeZone && (
        <div>
          <dt>Time zone</dt>
          <dd>{formatTimeZone(timeZone)}</dd>
        </div>
      )}
      <div>
        <dt>E-mail address</dt>
        <dd>
          <a href={`mailto:${user.email}`}>{user.email}</a>
        </dd>
      </div>
      <div>
        <dt>Joined</dt>
        <dd>
          <Time at={created_at} />
        </dd>
      </div>
      {isAdmin && !is_deactivated && (
        <div>
          <dt>Sign-in link</dt>
          <dd>
            <OpenSignInLink member={member} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** What a member has posted in channels the viewer can see, newest first. */
function MemberPosts({ member }: { member: Member }) {
  const feed = { author_id: member.id, sort: 'published_at' } as const
  const posts = useFeed(feed, useStartCursor(keys.feed(feed)))
  const total = posts.data?.pages[0]?.total_count
  return (
    <section aria-label="Posts" className="member-posts">
      <h2>Posts {total !== undefined && <span className="meta count">{total.toLocaleString()}</span>}</h2>
      {posts.error && !posts.data && <ProblemNote error={posts.error} retry={() => void posts.refetch()} />}
      {!posts.data && !posts.error && <PostRowSkeleton count={3} />}
      {total === 0 && <p className="meta">{member.user.display_name} has not posted anything you can see.</p>}
      {posts.records.length > 0 && (
        <InfiniteList name={formatCount(total ?? 0, 'post')} pages={posts} skeleton={<PostRowSkeleton count={3} />}>
          {(post) => <PostRow key={post.id} post={post} isInChannel={false} />}
        </InfiniteList>
      )}
    </section>
  )
}

/** For admins: the member's unused sign-in link, and a button to revoke it. */
function OpenSignInLink({ member }: { member: Member }) {
  const { data: link, error, refetch } = useSignInLink(member.id)
  const [question, ask] = useConfirm()
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />
  if (link === undefined) return <Skeleton width={180} />
  if (link === null) return 'None'
  const revoke = () =>
    ask({
      title: `Revoke the sign-in link for ${member.user.display_name}?`,
      text: 'It can no longer be used to sign in. You can create a new one.',
      label: 'Revoke',
      run: () => void revokeSignInLink(link),
    })
  return (
    <span className="row">
      <LinkFacts link={link} />
      <Button variant="danger" label="Revoke sign-in link" onClick={revoke}>
        Revoke
      </Button>
      {question}
    </span>
  )
}

const LinkFacts = ({ link: { created_by, created_at, expires_at } }: { link: Link }) => (
  <span>
    Created <Time at={created_at} /> by {created_by?.name ?? 'the server operator'}, <Expiry at={expires_at} />
  </span>
)
