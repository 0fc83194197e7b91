import { Problem } from '../../contract/errors'
import { openFairQueue } from '../../domain/fair-queue'

/** Runs a few expensive tasks at a time. A bounded number of others wait; the rest are refused. */
export const openQueue = (maxRunning: number, maxWaiting: number, limits?: { perCaller?: number; waitMs?: number }) =>
  openFairQueue([...Array(maxRunning).keys()], maxWaiting, tooBusy, limits)

const tooBusy = () =>
  new Problem('unavailable', 'The server is busy with requests of this kind. Try again shortly.', undefined, {
    'Retry-After': '2',
  })
