import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { NotificationSettings } from '../../../contract/notifications'
import { disablePush, enablePush, getPushPermission, type PushPermission } from '../../data/push'
import { Check } from '../../parts/check'
import { notifyProblem } from '../../parts/notices'

/** Turns the notifications of this browser on and off. */
export function PushSwitch({ settings }: { settings: NotificationSettings }) {
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
