import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../contract/operation'
import type { Session } from '../../contract/sessions'
import type { NewToken, Token } from '../../contract/tokens'
import { notifyProblem } from '../parts/notices'
import { endpoints, paths } from '../paths'
import { keys } from './cache/keys'
import { loadAll } from './cache/pages'
import { cache, parley } from './cache/parley'
import { eraseDevice, requestSession } from './cache/session'
import { clearStored } from './cache/storage'
import { pushDrafts } from './draft-sync'

/** The browsers the member is signed in with. No event reports their last use, so the list is always refetched. */
export const useSessions = () =>
  useQuery({ queryKey: keys.sessions, queryFn: () => loadAll(parley.sessions.list()), staleTime: 0 })

export async function endSession({ id, name }: Session) {
  cache.setQueryData<Session[]>(keys.sessions, (sessions) => sessions?.filter((session) => session.id !== id))
  try {
    await parley.sessions.delete({ id })
  } catch (error) {
    notifyProblem(`Couldn't sign out of ${name}.`, error)
  }
  await cache.invalidateQueries({ queryKey: keys.sessions })
}

export async function signOut() {
  await saveDrafts()
  await requestSession('DELETE', endpoints.session)
  reloadSignedOut()
}

export async function signOutEverywhere() {
  await saveDrafts()
  await parley.sessions.deleteAll()
  await eraseDevice()
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

const MINE = 'mine'

/** The app that owns the tokens; undefined for the member's own. */
export type TokenOwner = { id: string } | undefined
const tokensKey = (owner: TokenOwner) => [...keys.tokens, owner?.id ?? MINE]

/** Tokens of an app or of the member. No event reports their last use, so the list is always refetched. */
export const useTokens = (owner: TokenOwner) =>
  useQuery({
    queryKey: tokensKey(owner),
    queryFn: () => (owner ? loadAll(parley.apps.listTokens({ id: owner.id })) : loadAll(parley.tokens.listMine())),
    staleTime: 0,
  })

interface TokenInput {
  name?: string
  scopes: Scope[]
  expires_at?: string
}

export async function createToken(owner: TokenOwner, input: TokenInput): Promise<NewToken> {
  const token = await (owner ? parley.apps.createToken({ id: owner.id, ...input }) : parley.tokens.createMine(input))
  void cache.invalidateQueries({ queryKey: tokensKey(owner) })
  return token
}

export async function revokeToken(owner: TokenOwner, { id, name }: Token) {
  const key = tokensKey(owner)
  cache.setQueryData<Token[]>(key, (tokens) => tokens?.filter((token) => token.id !== id))
  try {
    await parley.tokens.delete({ id })
  } catch (error) {
    await cache.invalidateQueries({ queryKey: key })
    notifyProblem(`Couldn't revoke the token${name && ` “${name}”`}.`, error)
  }
}
