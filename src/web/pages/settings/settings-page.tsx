import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, Redirect } from 'wouter'
import { useMe, usePermissions, useProfile } from '../../data/me'
import { versionQuery } from '../../data/workspace'
import { Button } from '../../parts/button'
import { Empty, ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { openKeys } from '../../shell/overlays'
import { PageTitle } from '../../shell/title'
import { roleLabel } from '../members/roles'
import { AppsSection } from './integrations/apps-section'
import { HooksSection } from './integrations/hooks-section'
import { Tokens } from './integrations/tokens'
import { WebhookSection } from './integrations/webhook-section'
import { WebhooksSection } from './integrations/webhooks-section'
import { NotificationsSection } from './notifications/notifications-section'
import { AdminsOnly, RowSkeleton } from './parts'
import { AvatarForm } from './picture-form'
import { AppearanceSection } from './profile/appearance-section'
import { EmailForm } from './profile/email-form'
import { ProfileForm } from './profile/profile-form'
import { SecuritySection } from './profile/security-section'
import { ChannelsSection } from './workspace/channels-section'
import { GroupsSection } from './workspace/groups-section'
import { WorkspaceSection } from './workspace/workspace-section'

const groups = ['You', 'Workspace', 'Parley'] as const

interface Part {
  title: string
  group: (typeof groups)[number]
  /** Others do not see it. */
  isForAdmins?: boolean
  /** Guests see nothing of what it is about. */
  isHiddenFromGuests?: boolean
  show(id: string | undefined): ReactNode
}

/** The sections of the settings, each with its own path. */
const parts: Record<string, Part> = {
  profile: { title: 'Profile', group: 'You', show: () => <ProfileSection /> },
  appearance: { title: 'Appearance', group: 'You', show: () => <AppearanceSection /> },
  notifications: { title: 'Notifications', group: 'You', show: () => <NotificationsSection /> },
  security: { title: 'Password and sessions', group: 'You', show: () => <SecuritySection /> },
  tokens: { title: 'Access tokens', group: 'You', show: () => <TokensSection /> },
  hooks: { title: 'Incoming webhooks', group: 'You', show: () => <HooksSection /> },
  workspace: { title: 'General', group: 'Workspace', isForAdmins: true, show: () => <WorkspaceSection /> },
  channels: { title: 'Channels', group: 'Workspace', isForAdmins: true, show: () => <ChannelsSection /> },
  groups: { title: 'Groups', group: 'Workspace', isHiddenFromGuests: true, show: () => <GroupsSection /> },
  apps: { title: 'Apps', group: 'Workspace', isForAdmins: true, show: (id) => <AppsSection openId={id} /> },
  webhooks: {
    title: 'Webhooks',
    group: 'Workspace',
    isForAdmins: true,
    show: (id) => (id ? <WebhookSection key={id} id={id} /> : <WebhooksSection />),
  },
  about: { title: 'About', group: 'Parley', show: () => <AboutSection /> },
}

const isNarrow = () => matchMedia('(max-width: 899px)').matches

export default function SettingsPage({ part: name, id }: { part?: string; id?: string }) {
  const { isAdmin } = usePermissions()
  if (!name && !isNarrow()) return <Redirect to={paths.settings('profile')} replace />
  const part = name ? parts[name] : undefined
  const isRefused = part?.isForAdmins === true && !isAdmin
  return (
    <main className="page settings" id="main" data-part={name}>
      <nav aria-label="Settings">
        {name ? <p className="settings-head">Settings</p> : <PageTitle title="Settings" />}
        <PartLinks current={name} />
      </nav>
      {name && (
        <div className="settings-part">
          <Link href={paths.settings(id ? name : undefined)} className={`settings-back meta ${id ? 'always' : ''}`}>
            {id ? part?.title : 'Settings'}
          </Link>
          {part ? (
            <>
              {(!id || isRefused) && <PageTitle key={name} title={part.title} />}
              {isRefused ? <AdminsOnly /> : part.show(id)}
            </>
          ) : (
            <>
              <PageTitle title="Settings" />
              <Empty title="Setting not found">Choose one from the list.</Empty>
            </>
          )}
        </div>
      )}
    </main>
  )
}

function PartLinks({ current }: { current: string | undefined }) {
  const { isAdmin } = usePermissions()
  const isGuest = useMe().role === 'guest'
  const shown = Object.entries(parts).filter(
    ([, { isForAdmins, isHiddenFromGuests }]) => !(isGuest && isHiddenFromGuests) && (isAdmin || !isForAdmins),
  )
  return groups.map((group) => {
    const links = shown.filter(([, part]) => part.group === group)
    return (
      links.length > 0 && (
        <section key={group}>
          {group === 'Parley' ? <hr /> : <h2>{group}</h2>}
          <ul>
            {links.map(([name, { title }]) => (
              <li key={name}>
                <Link
                  href={paths.settings(name)}
                  className="sidebar-link"
                  aria-current={name === current ? 'page' : undefined}
                >
                  <span>{title}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )
    )
  })
}

function AboutSection() {
  const version = useQuery(versionQuery)
  const { workspace } = useMe()
  return (
    <>
      <dl className="details-list">
        <dt>Workspace</dt>
        <dd>{workspace.name}</dd>
        <dt>Parley</dt>
        <dd>{version.data ?? '…'}</dd>
      </dl>
      <div className="row">
        <a className="button" href={paths.apiReference}>
          API reference
        </a>
        <Button onClick={openKeys}>Keyboard shortcuts</Button>
      </div>
      <p className="meta">
        This app uses the same API that is available to your own programs. Press <kbd>?</kbd> anywhere to see the
        keyboard shortcuts.
      </p>
    </>
  )
}

/** What others see of the member, and their e-mail address and role. */
function ProfileSection() {
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

/** The member's own tokens. */
function TokensSection() {
  const { role } = useMe()
  const canCreate = role === 'admin' || role === 'member'
  return (
    <>
      <p className="meta">
        A token lets a program, or an agent connected to <code>{location.origin}/mcp</code>, act on your behalf, with
        your permissions. What an agent writes is marked with the name of its token. See the{' '}
        <a href={paths.apiReference}>API reference</a>.{!canCreate && ' Only members and admins can create tokens.'}
      </p>
      <Tokens owner={undefined} canCreate={canCreate} />
    </>
  )
}
