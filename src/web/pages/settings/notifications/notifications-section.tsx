import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { MailFrequency, NotificationSettings } from '../../../../contract/notifications'
import {
  disablePush,
  enablePush,
  getPushPermission,
  type NotificationChange,
  type PushPermission,
  updateNotificationSettings,
  useNotificationSettings,
} from '../../../data/me'
import { Check } from '../../../parts/check'
import { notifyProblem } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'
import { RowSkeleton } from '../parts'
import { QuietTimes } from './quiet-times'

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

/** Turns the notifications of this browser on and off. */
function PushSwitch({ settings }: { settings: NotificationSettings }) {
  const [permission, setPermission] = useState(getPushPermission)
  const update = useMutation({
    mutationFn: async (isOn: boolean) => {
      await (isOn ? enablePush() : disablePush())
      setPermission(getPushPermission())
    },
    onError: (error) => notifyProblem('Notifications were not changed on this device.', error),
  })
  return (
    <fieldset className="choices">
      <legend>On this device</legend>
      <Check
        label="Show notifications on this device"
        hint={hintFor(permission, settings)}
        checked={settings.is_push_enabled && permission === 'granted'}
        disabledReason={isPossible(permission, settings) && !update.isPending ? undefined : 'Not available right now.'}
        onChange={(event) => update.mutate(event.target.checked)}
      />
    </fieldset>
  )
}

const isPossible = (permission: PushPermission, { is_push_available }: NotificationSettings) =>
  is_push_available && permission !== 'unsupported' && permission !== 'denied'

function hintFor(permission: PushPermission, { is_push_available }: NotificationSettings): string {
  if (!is_push_available) return 'This server can’t send notifications. Its operator can set SECRET_KEY.'
  if (permission === 'unsupported')
    return 'This browser can’t show notifications. On a phone, add Parley to the home screen first.'
  if (permission === 'denied')
    return 'Your browser blocks notifications from this site. Allow them in its site settings.'
  return 'Also when Parley is closed. They end when you sign out here.'
}
