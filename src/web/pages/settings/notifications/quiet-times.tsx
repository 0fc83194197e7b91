import type { NotificationSettings } from '../../../../contract/notifications'
import type { NotificationChange as Change } from '../../../data/me'
import { Button } from '../../../parts/button'
import { Check } from '../../../parts/check'

const HOUR_MS = 60 * 60 * 1000
const DEFAULT_QUIET_HOURS = { from: '22:00', to: '07:00' }

const pauses: [label: string, end: () => number][] = [
  ['For 1 hour', () => Date.now() + HOUR_MS],
  ['Until tomorrow', () => new Date().setHours(33, 0, 0, 0)],
  ['For a week', () => Date.now() + 7 * 24 * HOUR_MS],
]

const pauseEnd = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** When there are neither pushes nor mails. */
export const QuietTimes = ({ settings, change }: { settings: NotificationSettings; change: Change }) => (
  <>
    <QuietHours settings={settings} change={change} />
    <Pause settings={settings} change={change} />
  </>
)

function QuietHours({
  settings: { quiet_hours, time_zone },
  change,
}: {
  settings: NotificationSettings
  change: Change
}) {
  const setHour = (end: 'from' | 'to') => (time: string) =>
    time && change({ quiet_hours: { ...(quiet_hours ?? DEFAULT_QUIET_HOURS), [end]: time } })
  return (
    <fieldset className="choices">
      <legend>Quiet hours</legend>
      <Check
        label="Hold back notifications and e-mails every day"
        checked={quiet_hours !== null}
        onChange={(event) => change({ quiet_hours: event.target.checked ? DEFAULT_QUIET_HOURS : null })}
      />
      {quiet_hours && (
        <>
          <div className="row">
            <TimeField label="From" value={quiet_hours.from} onChange={setHour('from')} />
            <TimeField label="To" value={quiet_hours.to} onChange={setHour('to')} />
          </div>
          <p className="meta">In your time zone, {time_zone.replaceAll('_', ' ')}.</p>
        </>
      )}
    </fieldset>
  )
}

const TimeField = ({ label, value, onChange }: { label: string; value: string; onChange(time: string): void }) => (
  <label className="inline-field">
    {label}{' '}
    <input className="input" type="time" value={value} onChange={(event) => onChange(event.target.value)} required />
  </label>
)

const Pause = ({ settings: { paused_until }, change }: { settings: NotificationSettings; change: Change }) => (
  <fieldset className="choices">
    <legend>Pause</legend>
    {paused_until ? (
      <>
        <p>Notifications are paused until {pauseEnd.format(new Date(paused_until))}.</p>
        <div className="row">
          <Button onClick={() => change({ paused_until: null })}>Resume now</Button>
        </div>
      </>
    ) : (
      <div className="row">
        {pauses.map(([label, end]) => (
          <Button key={label} onClick={() => change({ paused_until: new Date(end()).toISOString() })}>
            {label}
          </Button>
        ))}
      </div>
    )}
  </fieldset>
)
