import type { ReactNode } from 'react'
import { Link, Redirect } from 'wouter'
import { usePermissions } from '../../data/me'
import { Icon } from '../../parts/icon'
import { Empty } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { AboutSection } from './about-section'
import { AppearanceSection } from './appearance-section'
import { AppsSection } from './apps-section'
import { HooksSection } from './hooks-section'
import { NotificationsSection } from './notifications-section'
import { ProfileSection } from './profile-section'
import { SecuritySection } from './security-section'
import { TokensSection } from './tokens-section'
import { WebhookSection } from './webhook-section'
import { WebhooksSection } from './webhooks-section'
import { WorkspaceSection } from './workspace-section'

interface Part {
  title: string
  isForAdmins?: boolean
  show(id: string | undefined): ReactNode
}

/** The sections of the settings, each with its own path. */
const parts: Record<string, Part> = {
  profile: { title: 'Profile', show: () => <ProfileSection /> },
  appearance: { title: 'Appearance', show: () => <AppearanceSection /> },
  notifications: { title: 'Notifications', show: () => <NotificationsSection /> },
  security: { title: 'Password and sessions', show: () => <SecuritySection /> },
  tokens: { title: 'Access tokens', show: () => <TokensSection /> },
  hooks: { title: 'Incoming webhooks', show: () => <HooksSection /> },
  workspace: { title: 'Workspace', isForAdmins: true, show: () => <WorkspaceSection /> },
  apps: { title: 'Apps', isForAdmins: true, show: (id) => <AppsSection openId={id} /> },
  webhooks: {
    title: 'Webhooks',
    isForAdmins: true,
    show: (id) => (id ? <WebhookSection key={id} id={id} /> : <WebhooksSection />),
  },
  about: { title: 'About', show: () => <AboutSection /> },
}

const isNarrow = () => matchMedia('(max-width: 899px)').matches

export default function SettingsPage({ part: name, id }: { part?: string; id?: string }) {
  if (!name && !isNarrow()) return <Redirect to={paths.settings('profile')} replace />
  const part = name ? parts[name] : undefined
  return (
    <main className="page settings" id="main" data-part={name}>
      <nav aria-label="Settings">
        {!name && <PageTitle title="Settings" />}
        <PartLinks current={name} />
      </nav>
      {name && (
        <div className="settings-part">
          <Link href={paths.settings(id ? name : undefined)} className={`settings-back meta ${id ? 'always' : ''}`}>
            {id ? part?.title : 'Settings'}
          </Link>
          {part ? (
            <>
              {!id && <PageTitle key={name} title={part.title} />}
              {part.show(id)}
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
  return (
    <ul>
      {Object.entries(parts).map(([name, { title, isForAdmins }]) => (
        <li key={name}>
          <Link
            href={paths.settings(name)}
            className="sidebar-link"
            aria-current={name === current ? 'page' : undefined}
            title={isForAdmins && !isAdmin ? 'For admins' : undefined}
          >
            <span>{title}</span>
            {isForAdmins && !isAdmin && (
              <>
                <Icon name="lock" />
                <span className="visually-hidden"> (for admins)</span>
              </>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}
