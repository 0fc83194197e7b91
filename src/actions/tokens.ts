import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import { scopes as allScopes, type Scope } from '../contract/operation'
import { MAX_ACTIVE_TOKENS, type NewToken } from '../contract/tokens'
import type { Slice } from '../domain/lists/paging'
import { toName } from '../domain/names'
import { canHaveTokens, canRevoke, may } from '../domain/permissions'
import { hashSecret, newSecret } from '../domain/secrets'
import {
  countActiveTokens,
  deleteOldExpiredTokens,
  deleteToken,
  findToken,
  insertToken,
  listTokens,
  toToken,
} from '../store/people/tokens'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'
import { disableWebhooksWithoutRights } from './webhook-access'

export const listMine = listOf('tokens.listMine', (context, _, request) =>
  findTokensOf(context, context.viewer.author.key, request),
)

export async function findTokensOf({ db, viewer }: ReadContext, authorKey: number, slice: Slice) {
  return { ...(await listTokens(db, viewer, authorKey, slice)), toRecord: toToken }
}

export async function createMine(context: WriteContext, input: Input<'tokens.createMine'>) {
  const { viewer } = context
  if (!canHaveTokens(viewer))
    throw new Problem('forbidden', 'Only members and admins can create tokens for themselves.')
  const tooMuch = input.scopes.find((scope) => !may(viewer, scope))
  if (tooMuch) throw new Problem('forbidden', `You cannot give the scope \`${tooMuch}\`, which you do not have here.`)

  return issueToken(context, viewer.author, input)
}

/** Expired tokens are still listed, so that their owners see why they fail; but no more than these. */
const MAX_EXPIRED_TOKENS = 100

/** Makes a token and shows its secret, this once. */
export async function issueToken(
  { db, viewer, now, newId, announce }: Pick<WriteContext, 'db' | 'viewer' | 'now' | 'newId' | 'announce'>,
  owner: { key: number },
  input: Input<'tokens.createMine'>,
): Promise<NewToken> {
  const expires_at = input.expires_at === undefined ? null : Date.parse(input.expires_at)
  if (expires_at !== null && !(expires_at > now)) throw invalidField('expires_at', 'Must be in the future.')

  const holder = { workspace_key: viewer.workspace.key, author_key: owner.key }
  if ((await countActiveTokens(db, holder, now)) >= MAX_ACTIVE_TOKENS) throw tooManyTokens()
  await deleteOldExpiredTokens(db, holder, now, MAX_EXPIRED_TOKENS)
  const secret = newSecret()
  const row = await insertToken(db, {
    ...holder,
    id: newId('tok'),
    hash: hashSecret(secret),
    name: input.name?.trim() ? toName('name', input.name) : '',
    scopes: sortScopes(input.scopes).join(),
    created_at: now,
    expires_at,
  })
  const token = toToken(row)
  announce('token.created', token)
  return { ...token, token: secret }
}

const tooManyTokens = () =>
  new Problem(
    'too_many_tokens',
    `A member or an app may have ${MAX_ACTIVE_TOKENS} tokens that have not expired. Revoke one that is no longer used.`,
  )

const sortScopes = (scopes: readonly Scope[]) => allScopes.filter((scope) => scopes.includes(scope))

async function remove(context: WriteContext, { id }: Input<'tokens.delete'>) {
  const { db, viewer, announce } = context
  const token = await findToken(db, viewer.workspace.key, id)
  const shown = token && toToken(token)
  if (!shown || !canRevoke(viewer, token.author_key, shown.scopes)) throw notFound('token')

  await deleteToken(db, token)
  announce('token.revoked', shown)
  await disableWebhooksWithoutRights(context, token.author_key)
  return undefined
}

export { remove as delete }
