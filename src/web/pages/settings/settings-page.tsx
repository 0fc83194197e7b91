import type { ReactNode } from 'react'
import { Link, Redirect } from 'wouter'
import { usePermissions } from '../../data/me'
import { Icon } from '../../parts/icon'
import { Empty } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { AboutPart } from './about-part'
import { AppearancePart } from './appearance-part'
import { AppsPart } from './apps-part'
import { ProfilePart } from './profile-part'
import { SecurityPart } from './security-part'
import { TokensPart } from './tokens-part'
import { WebhookPart } from './webhook-part'
import { WebhooksPart } from './webhooks-part'

interface Part {
  title: string
  isForAdmins?: boolean
  show(id: string | undefined): ReactNode
}

/** The parts of the settings, each with an address of its own. */
const parts: Record<string, Part> = {
  profile: { title: 'Profile', show: () => <ProfilePart /> },
  appearance: { title: 'Appearance', show: () => <AppearancePart /> },
  security: { title: 'Password and sessions', show: () => <SecurityPart /> },
  tokens: { title: 'Access tokens', show: () => <TokensPart /> },
  apps: { title: 'Apps', isForAdmins: true, show: (id) => <AppsPart openId={id} /> },
  webhooks: {
    title: 'Webhooks',
    isForAdmins: true,
    show: (id) => (id ? <WebhookPart key={id} id={id} /> : <WebhooksPart />),
  },
  about: { title: 'About', show: () => <AboutPart /> },
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
              <Empty title="There is no such setting">Choose one from the list.</Empty>
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
            className="index-link"
            aria-current={name === current ? 'page' : undefined}
            title={isForAdmins && !isAdmin ? 'For admins' : undefined}
          >
            <span>{title}</span>
            {isForAdmins && !isAdmin && (
              <>
                <Icon name="lock" />
                <span className="unseen"> (for admins)</span>
              </>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}
