import type { Server } from 'bun'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Browser, SESSION_MS, type Started } from '../../accounts/sessions'
import { Problem } from '../../contract/errors'
import {
  EmailConfirmation,
  InviteRequest,
  JoinBody,
  LinkRequest,
  MailRequest,
  PasswordReset,
  type SignedIn,
  SignIn,
  type SignInOptions,
} from '../../contract/sessions'
import { timestamp } from '../../domain/timestamps'
import type { Answer } from '../../gate/call'
import { isStorable, NOT_STORABLE } from '../../gate/input'
import type { Parley } from '../../gate/parley'
import { readJson } from '../body'
import { addressOf, type HttpContext, pathOf, respond } from '../respond'
import { browserName, clearCookie, refuseOtherSites, requireJsonType, sessionCookie, sessionOf } from './cookie'

type Handler = (request: Request, server: Server<undefined>) => Promise<Response>
type Handle = (parley: Parley, request: Request, server: Server<undefined>) => Promise<Answer>

/** Signing in and out, for pages of this server. The API itself accepts tokens only, never cookies. */
export function sessionRoutes(http: HttpContext): Record<string, Handler> {
  const { isSecure } = http
  return {
    '/session': endpoint(http, {
      async POST({ accounts }, request, server) {
        const browser = browserOf(http, request, server)
        const started = await http.anonymousLimits.limitSignIn(browser.address, async () =>
          accounts.signIn(browser, await read(http, isSignIn, request)),
        )
        return answer(201, signedIn(started), sessionCookie(started.secret, SESSION_MS, isSecure))
      },
      async DELETE({ accounts }, request) {
        await accounts.signOut(sessionOf(request, isSecure))
        return { ...answer(204, undefined, clearCookie(isSecure)), body: null }
      },
    }),
    '/session/link': endpoint(http, {
      POST: ({ accounts }, request, server) =>
        http.anonymousLimits.limitSignIn(addressOf(http, request, server), async () => {
          const { link } = await read(http, isLink, request)
          return answer(200, await accounts.inspectLink(link))
        }),
    }),
    '/session/invite': endpoint(http, {
      POST: ({ accounts }, request, server) =>
        http.anonymousLimits.limitSignIn(addressOf(http, request, server), async () => {
          const { link } = await read(http, isInviteRequest, request, 'Must be `{ link }`.')
          return answer(200, await accounts.inspectInvite(link))
        }),
    }),
    '/session/join': endpoint(http, {
      POST: ({ accounts }, request, server) =>
        http.anonymousLimits.limitSignIn(addressOf(http, request, server), async () => {
          const body = await read(http, isJoinBody, request, 'Must be `{ link, email?, display_name? }`.')
          const started = await accounts.join(browserOf(http, request, server), body)
          return started
            ? answer(201, signedIn(started), sessionCookie(started.secret, SESSION_MS, isSecure))
            : answer(202, {})
        }),
    }),
    '/session/options': endpoint(http, {
      GET: async ({ isMailConfigured = false }) =>
        answer(200, { is_mail_configured: isMailConfigured } satisfies SignInOptions),
    }),
    '/session/mail': endpoint(http, {
      async POST({ accounts }, request, server) {
        const { email, kind } = await read(http, isMailRequest, request, 'Must be `{ email, kind }`.')
        await accounts.requestMail(kind, email.trim().toLowerCase(), addressOf(http, request, server))
        return answer(202, {})
      },
    }),
    '/session/password': endpoint(http, {
      POST: ({ accounts }, request, server) =>
        http.anonymousLimits.limitSignIn(addressOf(http, request, server), async () => {
          const { link, password } = await read(http, isPasswordReset, request, 'Must be `{ link, password? }`.')
          return answer(200, await accounts.resetPassword(link, password))
        }),
    }),
    '/session/email': endpoint(http, {
      POST: ({ accounts }, request, server) =>
        http.anonymousLimits.limitSignIn(addressOf(http, request, server), async () => {
          const { link, confirm } = await read(http, isEmailConfirmation, request, 'Must be `{ link, confirm? }`.')
          return answer(200, await accounts.confirmEmail(link, confirm ?? false))
        }),
    }),
    '/session/token': endpoint(http, {
      async POST({ accounts, clock }, request) {
        const secret = sessionOf(request, isSecure)
        const { renewedUntil, ...token } = await accounts.pageToken(secret)
        const cookie = renewedUntil && sessionCookie(secret!, renewedUntil - clock(), isSecure)
        return answer(200, token, cookie || undefined)
      },
    }),
  }
}

const browserOf = (http: HttpContext, request: Request, server: Server<undefined>): Browser => ({
  name: browserName(request.headers.get('user-agent')),
  address: addressOf(http, request, server),
  before: sessionOf(request, http.isSecure),
})

const signedIn = ({ viewer: { author, workspace }, session }: Started): SignedIn => ({
  member: { id: author.id, name: author.name },
  workspace: { slug: workspace.slug, name: workspace.name },
  expires_at: timestamp(session.expires_at),
})

const answer = (status: number, body: unknown, cookie?: string): Answer => ({
  status,
  body: JSON.stringify(body) ?? null,
  contentType: 'application/json',
  headers: cookie ? { 'Set-Cookie': cookie } : {},
})

/** A route that is handled and logged like the API, but only for pages of this server. */
function endpoint(http: HttpContext, methods: Record<string, Handle>): Handler {
  const allow = Object.keys(methods).join(', ')
  return async (request, server) => {
    const path = pathOf(request.url)
    const handle = methods[request.method]
    const name = handle ? `session ${request.method} ${path}` : 'none'
    const response = await respond(http, request, server, name, async (parley) => {
      if (!handle)
        throw new Problem('method_not_allowed', `${path} supports ${allow}, not ${request.method}.`, undefined, {
          Allow: allow,
        })
      refuseOtherSites(request, parley.links.base, http.isSecure)
      if (request.method === 'POST') requireJsonType(request)
      return handle(parley, request, server)
    })
    response.headers.delete('Access-Control-Allow-Origin')
    response.headers.delete('Access-Control-Expose-Headers')
    response.headers.set('Vary', 'Cookie')
    return response
  }
}

/** Anyone can send these bodies, and none needs to be larger. */
const SESSION_BODY_LIMIT = 16 * 1024

const isSignIn = Compile(SignIn)
const isLink = Compile(LinkRequest)
const isInviteRequest = Compile(InviteRequest)
const isJoinBody = Compile(JoinBody)
const isMailRequest = Compile(MailRequest)
const isPasswordReset = Compile(PasswordReset)
const isEmailConfirmation = Compile(EmailConfirmation)

/** Reads and validates a body. */
async function read<T extends TSchema>(
  { bodies }: HttpContext,
  validator: ReturnType<typeof Compile<T>>,
  request: Request,
  message = 'Must be `{ link }`, or `{ email, password, workspace? }` to sign in.',
) {
  const body = await readJson(bodies, request, SESSION_BODY_LIMIT)
  if (!validator.Check(body)) throw invalidBody(message)
  if (!isStorable(body)) throw invalidBody(NOT_STORABLE)
  return body
}

const invalidBody = (message: string) => new Problem('invalid_input', message, [{ in: 'body', name: '', message }])
