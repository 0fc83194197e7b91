import type { Delivery } from '../../../contract/webhooks'
import { formatCount } from '../../parts/format-count'
import { formatExactTime } from '../../parts/time'

const labels = { pending: ['', 'Pending'], delivered: ['good', 'Delivered'], failed: ['danger', 'Failed'] } as const

export const DeliveryChip = ({ status }: Pick<Delivery, 'status'>) => (
  <span className={`chip ${labels[status][0]}`}>{labels[status][1]}</span>
)

export const formatAttempts = ({ attempts_count }: Delivery) =>
  attempts_count === 0 ? 'no attempts yet' : formatCount(attempts_count, 'attempt')

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
  if (minutes < 1) return 'next attempt soon'
  if (minutes < 90) return `next attempt in ${formatCount(minutes, 'minute')}`
  return `next attempt in ${formatCount(Math.round(minutes / 60), 'hour')}`
}
