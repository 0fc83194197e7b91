import type { Delivery } from '../../../contract/webhooks'
import { formatExactTime } from '../../parts/time'
import { formatCount } from '../feed/post-row'

const labels = { pending: ['', 'Waiting'], delivered: ['good', 'Delivered'], failed: ['danger', 'Failed'] } as const

export const DeliveryChip = ({ status }: Pick<Delivery, 'status'>) => (
  <span className={`chip ${labels[status][0]}`}>{labels[status][1]}</span>
)

export const formatAttempts = ({ attempts_count }: Delivery) =>
  attempts_count === 0 ? 'not tried yet' : attempts_count === 1 ? 'tried once' : `tried ${attempts_count} times`

/** When the next attempt is due, if any. */
export function NextAttempt({ of: { next_attempt_at } }: { of: Delivery }) {
  if (!next_attempt_at) return null
  return (
    <>
      {' · '}
      <time dateTime={next_attempt_at} title={formatExactTime(next_attempt_at)}>
        {formatDelay(Date.parse(next_attempt_at) - Date.now())}
      </time>
    </>
  )
}

function formatDelay(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'next try in a moment'
  if (minutes < 90) return `next try in ${formatCount(minutes, 'minute')}`
  return `next try in ${formatCount(Math.round(minutes / 60), 'hour')}`
}
