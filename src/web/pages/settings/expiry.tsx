import { formatExactTime } from '../../parts/time'

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

/** When something expires or expired. */
export const Expiry = ({ at }: { at: string }) => (
  <>
    {Date.parse(at) > Date.now() ? 'expires ' : 'expired '}
    <time dateTime={at} title={formatExactTime(at)}>
      {day.format(new Date(at))}
    </time>
  </>
)
