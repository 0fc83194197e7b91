import { exactTime } from '../../parts/time'

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

/** When something ends, or that it has. */
export const Until = ({ at }: { at: string }) => (
  <>
    {Date.parse(at) > Date.now() ? 'expires ' : 'expired '}
    <time dateTime={at} title={exactTime(at)}>
      {day.format(new Date(at))}
    </time>
  </>
)
