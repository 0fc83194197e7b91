import { Link } from 'wouter'
import { useMe } from '../../data/me'

import { useProfile } from '../../data/profile'

import { ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { roleLabel } from '../members/roles'
import { AvatarForm } from './avatar-form'

import { EmailForm } from './email-form'
import { ProfileForm } from './profile-form'
import { RowSkeleton } from './row-skeleton'

/** What others see of the member, and their e-mail address and role. */
export function ProfileSection() {
  const { author, role } = useMe()
  const profile = useProfile(author.id)
  return (
    <>
      <AvatarForm />
      {profile.data && <ProfileForm profile={profile.data} />}
      {profile.error && !profile.data && <ProblemNote error={profile.error} retry={() => void profile.refetch()} />}
      {!profile.data && !profile.error && <RowSkeleton what="your profile" />}
      <EmailForm />
      <section className="form" aria-label="Role">
        <h2>Role</h2>
        <p>
          {role && roleLabel(role)} <span className="meta">Only an admin can change your role.</span>
        </p>
      </section>
      <p>
        <Link href={paths.member(author.id)}>View your profile</Link>
      </p>
    </>
  )
}
