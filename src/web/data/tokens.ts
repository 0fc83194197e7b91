import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../contract/operation'
import type { NewToken, Token } from '../../contract/tokens'
import { notifyProblem } from '../parts/notices'
import { loadAll } from './pages'
import { cache, parley } from './parley'

export const TOKENS = ['tokens']
const MINE = 'mine'

/** The app that owns the tokens; undefined for the member's own. */
export type TokenOwner = { id: string } | undefined
const tokensKey = (owner: TokenOwner) => [...TOKENS, owner?.id ?? MINE]

/** Tokens of an app or of the member. No event reports their last use, so the list is always refetched. */
export const useTokens = (owner: TokenOwner) =>
  useQuery({
    queryKey: tokensKey(owner),
    queryFn: () => (owner ? loadAll(parley.apps.listTokens({ id: owner.id })) : loadAll(parley.tokens.listMine())),
    staleTime: 0,
  })

export interface TokenInput {
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
