import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { scopes } from '../contract/operation'
import type { Answer } from '../gate/call'
import { guideUrl } from '../site/urls'
import { readJson } from './body'
import { handleWithin } from './load-shedding/handle'
import { bearerToken } from './operations'
import { type HttpContext, respond } from './respond'

const PATH = '/mcp'
const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** `/mcp`, where agents connect. */
export function mcpRoute(http: HttpContext) {
  const { loadShedding, bodies, answerAgent, parley } = http
  const own = new URL(parley.links.base)

  return (request: Request, server: Server<undefined>) =>
    handleWithin(loadShedding.write, http, request, 'mcp', (limit) =>
      respond(http, request, server, 'mcp', async (): Promise<Answer> => {
        refuseRebinding(request, own)
        if (request.method !== 'POST')
          throw new Problem('method_not_allowed', `${PATH} supports POST, not ${request.method}.`, undefined, {
            Allow: 'POST',
          })
        const { headers } = request
        return answerAgent({
          request,
          token: bearerToken(headers.get('authorization')),
          idempotencyKey: headers.get('idempotency-key') ?? undefined,
          readBody: () => limit!.releaseWhile(() => readJson(bodies, request)),
          releaseWhile: limit!.releaseWhile,
        }).catch((error) => {
          throw withMetadata(error, parley.links.base)
        })
      }),
    )
}

/**
 * Refuses requests that a page of another site makes a browser send, also if that site says its name is an address of this server
 * (DNS rebinding). An address in numbers cannot be pretended.
 */
function refuseRebinding(request: Request, own: URL) {
  const host = request.headers.get('host') ?? ''
  const name = host.replace(/:\d*$/, '').toLowerCase()
  const isOwn = name === own.hostname || name === 'localhost' || /^([\d.]+|\[[\da-f:.]+\])$/.test(name)
  if (!isOwn)
    throw new Problem(
      'forbidden',
      `The address of this server is ${own.origin}. If that is wrong, its operator has to set PUBLIC_URL.`,
    )
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== own.origin && !(URL.canParse(origin) && new URL(origin).host === host))
    throw new Problem('forbidden', 'Pages of other sites cannot use this address.')
}

/** Tells clients without a valid token where to read how to get one (RFC 9728). */
function withMetadata(error: unknown, base: string): unknown {
  if (!(error instanceof Problem) || error.code !== 'unauthenticated') return error
  const challenge = `${error.headers?.['WWW-Authenticate']}, resource_metadata="${base}${METADATA_PATH}${PATH}"`
  return new Problem(error.code, error.detail, error.errors, { ...error.headers, 'WWW-Authenticate': challenge })
}

/**
 * How to get a token, for programs (RFC 9728): for the API, and for `/mcp`. There is no authorization server, so none is named;
 * a client that only knows OAuth can tell so.
 */
export function resourceMetadata(base: string): Record<string, string> {
  const describe = (resource: string, name: string, guide: string) =>
    JSON.stringify({
      resource,
      resource_name: name,
      bearer_methods_supported: ['header'],
      scopes_supported: scopes,
      resource_documentation: base + guideUrl(guide),
      token_page: `${base}/settings/tokens`,
      token_instructions:
        'There is no authorization server. Members and admins create access tokens in the web app, under Settings, and admins create tokens for apps. Send one as `Authorization: Bearer <token>`.',
    })
  return {
    [METADATA_PATH]: describe(base, 'Parley', 'getting-started'),
    [METADATA_PATH + PATH]: describe(base + PATH, 'Parley for agents', 'agents'),
  }
}
