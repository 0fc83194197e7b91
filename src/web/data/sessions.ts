import { useQuery } from '@tanstack/react-query'
import type { Session } from '../../contract/sessions'
import { notifyProblem } from '../parts/notices'
import { endpoints, paths } from '../paths'
import { pushDrafts } from './draft-sync'
import { loadAll } from './pages'
import { cache, parley } from './parley'
import { requestSession } from './session'
import { clearStored } from './storage'

export const SESSIONS = ['sessions']

/** The browsers the member is signed in with. No event reports their last use, so the list is always refetched. */
export const useSessions = () =>
  useQuery({ queryKey: SESSIONS, queryFn: () => loadAll(parley.sessions.list()), staleTime: 0 })

export async function endSession({ id, name }: Session) {
  cache.setQueryData<Session[]>(SESSIONS, (sessions) => sessions?.filter((session) => session.id !== id))
  try {
    await parley.sessions.delete({ id })
  } catch (error) {
    notifyProblem(`Couldn't sign out of ${name}.`, error)
  }
  await cache.invalidateQueries({ queryKey: SESSIONS })
}

export async function signOut() {
  await saveDrafts()
  await requestSession('DELETE', endpoints.session)
  reloadSignedOut()
}

export async function signOutEverywhere() {
  await saveDrafts()
  await parley.sessions.deleteAll()
  reloadSignedOut()
}

const MAX_SAVING_MS = 3_000

/** The drafts of this browser are deleted with everything else of the member. */
const saveDrafts = () => Promise.race([pushDrafts(), new Promise((resolve) => setTimeout(resolve, MAX_SAVING_MS))])

/** Reloads the app so that nothing of the previous member stays in memory. */
function reloadSignedOut() {
  clearStored()
  location.replace(paths.signIn())
}
