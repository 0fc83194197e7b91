import * as apps from '../actions/apps'
import type { WriteContext } from '../actions/context'
import { issueToken } from '../actions/tokens'
import { disableWebhooksWithoutRights } from '../actions/webhook-access'
import { fold } from '../contract/browser/fold'
import { scopes as allScopes, type Scope } from '../contract/operation'
import { StartError } from '../domain/start-error'
import { timestamp } from '../domain/timestamps'
import { findAppByName } from '../store/people/apps'
import { findAuthor } from '../store/people/authors'
import { deleteToken, findToken, listAllTokens, toToken } from '../store/people/tokens'
import { type Command, UsageError } from './command'
import { changeAsOperator, findActiveMember, findChosenWorkspace, withMigratedParley } from './database'
import { formatDay, formatTable, json } from './output'

const workspace = { type: 'string', value: 'SLUG', help: 'The workspace, if there are several.' } as const

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Create an access token, and print nothing else.',
  options: {
    app: { type: 'string', value: 'NAME', help: 'For this app, which is created if it does not exist.' },
    member: { type: 'string', value: 'EMAIL', help: 'For this member.' },
    scopes: { type: 'string', value: 'LIST', help: 'Scopes separated by commas: read, write, admin. Default: read.' },
    name: { type: 'string', value: 'TEXT', help: 'What the token is for.' },
    'expires-at': {
      type: 'string',
      value: 'TIME',
      help: 'When it expires, such as 2027-01-31T00:00:00Z. Default: never.',
    },
    workspace,
  },
  async run({ values }) {
    if (!values.app === !values.member)
      throw new UsageError('token create requires either --app NAME or --member EMAIL.')
    const scopes = readScopes(values.scopes ?? 'read')
    const expires_at = values['expires-at']
    if (expires_at && Number.isNaN(Date.parse(expires_at)))
      throw new UsageError(`--expires-at: “${expires_at}” is not a time.`)
    const { token } = await withMigratedParley((parley) =>
      changeAsOperator(parley, values.workspace, async (context) => {
        const owner = values.app
          ? await findOrCreateApp(context, values.app)
          : await findMember(context, values.member!)
        return issueToken(context, owner, { scopes, name: values.name, expires_at })
      }),
    )
    console.log(token)
  },
}

function readScopes(text: string): Scope[] {
  const scopes = text.split(',').map((scope) => scope.trim()) as Scope[]
  const wrong = scopes.find((scope) => !allScopes.includes(scope))
  if (wrong !== undefined) throw new UsageError(`--scopes: “${wrong}” is not one of ${allScopes.join(', ')}.`)
  return scopes
}

async function findOrCreateApp(context: WriteContext, name: string) {
  const existing = await findAppByName(context.db, context.viewer.workspace.key, fold(name))
  if (existing) return { key: existing.author_key, id: existing.id }
  const app = await apps.create(context, { name })
  return (await findAuthor(context.db, context.viewer, app.id))!
}

async function findMember(context: WriteContext, email: string) {
  const member = await findActiveMember(context, email)
  return { key: member.author_key, id: member.id }
}

export const tokenList: Command = {
  name: 'token list',
  summary: 'List the access tokens of a workspace, without their secrets.',
  options: { json, workspace },
  async run({ values, flags }) {
    const tokens = await withMigratedParley(async (parley) => {
      const { key } = await findChosenWorkspace(parley, values.workspace)
      return parley.engine.read((db) => listAllTokens(db, key))
    })
    if (flags.has('json')) return console.log(JSON.stringify(tokens.map(toListed), null, 2))
    const rows = tokens.map(({ id, owner, owner_type, name, scopes, created_at, expires_at, last_used_at }) => [
      ...[
        id,
        `${owner} (${owner_type})`,
        scopes,
        formatDay(created_at),
        formatDay(expires_at),
        formatDay(last_used_at),
        name,
      ],
    ])
    console.log(formatTable(['ID', 'OWNER', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'], rows))
  },
}

const toListed = (row: Awaited<ReturnType<typeof listAllTokens>>[number]) => ({
  id: row.id,
  owner: { type: row.owner_type, name: row.owner },
  name: row.name,
  scopes: row.scopes.split(','),
  created_at: timestamp(row.created_at),
  expires_at: row.expires_at === null ? null : timestamp(row.expires_at),
  last_used_at: row.last_used_at === null ? null : timestamp(row.last_used_at),
})

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Revoke an access token immediately.',
  positional: '<id>',
  options: { workspace },
  async run({ values, positionals: [id] }) {
    await withMigratedParley((parley) =>
      changeAsOperator(parley, values.workspace, async (context) => {
        const { db, viewer, announce } = context
        const token = await findToken(db, viewer.workspace.key, id!)
        if (!token)
          throw new StartError(
            `There is no token ${id} in ${viewer.workspace.slug}. \`parley token list\` lists the ids.`,
          )
        await deleteToken(db, token)
        announce('token.revoked', toToken(token))
        await disableWebhooksWithoutRights(context, token.author_key)
      }),
    )
    console.log(`Revoked ${id}.`)
  },
}
