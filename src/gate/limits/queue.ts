import { Problem } from '../../contract/errors'
import { openFairQueue } from '../../domain/fair-queue'

/** Runs a few expensive tasks at a time. A bounded number of others wait; the rest are refused. */
export const openQueue = (maxRunning: number, maxWaiting: number) =>
  openFairQueue([...Array(maxRunning).keys()], maxWaiting, tooBusy)

const tooBusy = () =>
  new Problem('unavailable', 'The server is busy with requests of this kind. Try again shortly.', undefined, {
    'Retry-After': '2',
  })
