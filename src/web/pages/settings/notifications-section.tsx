import type { MailFrequency, NotificationSettings } from '../../../contract/notifications'
import {
  type NotificationChange,
  updateNotificationSettings,
  useNotificationSettings,
} from '../../data/notification-settings'
import { Check } from '../../parts/check'
import { notifyProblem } from '../../parts/notices'
import { ProblemNote } from '../../parts/states'
import { PushSwitch } from './push-switch'
import { QuietTimes } from './quiet-times'
import { RowSkeleton } from './row-skeleton'

const change: NotificationChange = (changes) =>
  void updateNotificationSettings(changes).catch((error) => notifyProblem('The setting was not saved.', error))

/** When and how the member is notified. */
export function NotificationsSection() {
  const settings = useNotificationSettings()
  if (settings.error && !settings.data)
    return <ProblemNote error={settings.error} retry={() => void settings.refetch()} />
  if (!settings.data) return <RowSkeleton what="notifications" />
  return (
    <>
      <PushSwitch settings={settings.data} />
      <MailChoice settings={settings.data} />
      <QuietTimes settings={settings.data} change={change} />
    </>
  )
}

const frequencies: [MailFrequency, string][] = [
  ['every_15_minutes', 'Every 15 minutes'],
  ['hourly', 'Every hour'],
  ['daily', 'Once a day'],
  ['never', 'Never'],
]

function MailChoice({ settings }: { settings: NotificationSettings }) {
  const { mail, mail_hour, mentions_and_messages_sooner, is_mail_configured } = settings
  return (
    <fieldset className="choices">
      <legend>E-mail</legend>
      {is_mail_configured ? (
        <p className="meta">Sends everything you haven’t read yet in one e-mail.</p>
      ) : (
        <p className="meta">E-mail is not set up on this server. Your choice applies once it is.</p>
      )}
      {frequencies.map(([value, label]) => (
        <Check
          key={value}
          type="radio"
          name="mail"
          label={label}
          checked={mail === value}
          onChange={() => change({ mail: value })}
        />
      ))}
      {mail === 'daily' && (
        <label className="inline-field">
          Send at{' '}
          <select
            className="input"
            value={mail_hour}
            onChange={(event) => change({ mail_hour: Number(event.target.value) })}
          >
            {Array.from({ length: 24 }, (_, hour) => (
              <option key={String(hour)} value={hour}>
                {String(hour).padStart(2, '0')}:00
              </option>
            ))}
          </select>
        </label>
      )}
      {mail !== 'never' && (
        <Check
          label="Mentions and messages sooner"
          hint="After five minutes, if you haven’t read them."
          checked={mentions_and_messages_sooner}
          onChange={(event) => change({ mentions_and_messages_sooner: event.target.checked })}
        />
      )}
    </fieldset>
  )
}
