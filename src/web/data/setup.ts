import { useQuery } from '@tanstack/react-query'
import { setupSteps } from '../../contract/browser/constants'
import type { Setup, SetupStep } from '../../contract/setup'
import { cache, parley } from './cache/parley'
import { readStored, store } from './cache/storage'
import { updateProfile, useMe } from './me'
import { useNeedsSetup } from './workspace'

const SETUP = ['setup']
const HIDDEN_UNTIL = 'setup-hidden-until'
const DONE = 'setup-done'
const HIDDEN_MS = 24 * 60 * 60 * 1000

/**
 * What somebody who was invited has still to set up; undefined where there is nothing, where they have hidden it today, and for the
 * admin whose checklist for the whole workspace comes first.
 */
export function useFirstSteps(): Setup | undefined {
  const { role } = useMe()
  const isFirst = useNeedsSetup()
  const setup = useQuery({
    queryKey: SETUP,
    queryFn: readSetup,
    enabled: !isFirst && !readStored(DONE, false) && readStored(HIDDEN_UNTIL, 0) < Date.now(),
    staleTime: 0,
  }).data
  if (!setup || isFirst || setup.done.length === setupSteps.length) return undefined
  return role === 'admin' && setup.invited_by === null ? undefined : setup
}

/** The time zone is known from the browser. */
async function readSetup(): Promise<Setup> {
  const setup = await parley.me.getSetup()
  if (setup.done.includes('time_zone')) return remember(setup)
  await updateProfile({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone })
  return remember(await parley.me.getSetup())
}

/** Once all is done, there is nothing to ask for any more. */
function remember(setup: Setup): Setup {
  if (setup.done.length === setupSteps.length) store(DONE, true)
  return setup
}

/** Marks a step as done; what was done elsewhere is read again, too. */
export async function finishStep(step: SetupStep) {
  cache.setQueryData(SETUP, remember(await parley.me.updateSetup({ done: [step] })))
}

/** Hides the steps for a day. */
export function hideFirstSteps() {
  store(HIDDEN_UNTIL, Date.now() + HIDDEN_MS)
  cache.setQueryData<Setup>(SETUP, (setup) => setup && { ...setup, done: [...setupSteps] })
}
