import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import { scopes as allScopes, type Scope } from '../contract/operation'
import type { NewToken } from '../contract/tokens'
import { toName } from '../domain/names'
import { pageRequest, toPage } from '../domain/paging'
import { canHaveTokens, canRevoke, may } from '../domain/permissions'
import { hashSecret, newSecret } from '../domain/secrets'
import { toToken } from '../records/tokens'
import { deleteToken, findToken, findTokensCount, insertToken, listTokens } from '../store/tokens'
import type { ReadContext, WriteContext } from './context'

export async function listMine(context: ReadContext, input: Input<'tokens.listMine'>) {
  return tokensOf(context, 'tokens.listMine', context.viewer.author.key, input)
}

export async function tokensOf(context: ReadContext, list: string, authorKey: number, input: Input<'tokens.listMine'>) {
  const { db, viewer } = context
  const request = pageRequest(list, input, { sort: 'created_at', direction: 'asc' })
  const found = await listTokens(db, viewer, authorKey, request)
  return toPage(request, found, await findTokensCount(db, authorKey), toToken)
}

export async function createMine(context: WriteContext, input: Input<'tokens.createMine'>) {
  const { viewer } = context
  if (!canHaveTokens(viewer)) throw new Problem('forbidden', 'Only members and admins make tokens for themselves.')
  const tooMuch = input.scopes.find((scope) => !may(viewer, scope))
  if (tooMuch) throw new Problem('forbidden', `You cannot give the scope \`${tooMuch}\`, which you do not have here.`)

  return issueToken(context, viewer.author, input)
}

/** Makes a token and shows its secret, this once. */
export async function issueToken(
  { db, viewer, now, newId, announce }: Pick<WriteContext, 'db' | 'viewer' | 'now' | 'newId' | 'announce'>,
  owner: { key: number },
  input: Input<'tokens.createMine'>,
): Promise<NewToken> {
  const expires_at = input.expires_at === undefined ? null : Date.parse(input.expires_at)
  if (expires_at !== null && !(expires_at > now)) throw invalidField('expires_at', 'It must lie in the future.')

  const secret = newSecret()
  const row = await insertToken(db, {
    id: newId('tok'),
    workspace_key: viewer.workspace.key,
    author_key: owner.key,
    hash: hashSecret(secret),
    name: input.name?.trim() ? toName('name', input.name) : '',
    scopes: inOrder(input.scopes).join(),
    created_at: now,
    expires_at,
  })
  const token = toToken(row)
  announce('token.created', token)
  return { ...token, token: secret }
}

const inOrder = (scopes: readonly Scope[]) => allScopes.filter((scope) => scopes.includes(scope))

async function remove({ db, viewer, announce }: WriteContext, { id }: Input<'tokens.delete'>) {
  const token = await findToken(db, viewer.workspace.key, id)
  if (!token || !canRevoke(viewer, token.author_key)) throw notFound('token')

  await deleteToken(db, token)
  announce('token.revoked', toToken(token))
  return undefined
}

export { remove as delete }
