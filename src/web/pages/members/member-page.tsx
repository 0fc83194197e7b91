import { useLocation } from 'wouter'
import { ParleyError } from '../../../client'
import type { Member } from '../../../contract/members'
import { useMe, usePermissions } from '../../data/me'
import { useMember } from '../../data/members'
import { getDirectMessagePath } from '../../data/threads'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Menu } from '../../parts/menu'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { MemberChips } from './member-rows'
import { OpenSignInLink } from './open-sign-in-link'
import { useMemberActions } from './use-member-actions'

/** A member: profile, direct message, and actions for admins. */
export default function MemberPage({ id }: { id: string }) {
  const { data: member, error, refetch } = useMember(id)
  const [, navigate] = useLocation()
  return (
    <main className="page" id="main">
      {member ? (
        <Details member={member} />
      ) : error instanceof ParleyError && error.status === 404 ? (
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
  const { user, created_at, is_deactivated } = member
  const { author } = useMe()
  const { writeDeniedReason, isAdmin } = usePermissions()
  const [, navigate] = useLocation()
  const [dialogs, actionsFor] = useMemberActions()
  const isMe = author.id === member.id
  const disabledReason =
    writeDeniedReason ?? (is_deactivated ? `${user.display_name} is deactivated and cannot read messages.` : undefined)
  return (
    <>
      <div className={`member-head ${is_deactivated ? 'deactivated' : ''}`}>
        <Avatar of={{ ...user, type: 'member' }} size={64} />
        <div>
          <PageTitle title={user.display_name} />
          <MemberChips member={member} />
        </div>
        <div className="row">
          {isMe ? (
            <Button icon="settings" onClick={() => navigate(paths.settings())}>
              Edit profile
            </Button>
          ) : (
            <Button
              icon="threads"
              variant="primary"
              disabledReason={disabledReason}
              onClick={() => navigate(getDirectMessagePath(member.id))}
            >
              Message
            </Button>
          )}
          <Menu label={`Actions for ${user.display_name}`} entries={actionsFor(member)} />
        </div>
      </div>
      <dl className="member-facts">
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
      {dialogs}
    </>
  )
}
