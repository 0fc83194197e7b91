import type { Server } from 'bun'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Problem } from '../../contract/errors'
import { LinkQuestion, type SignedIn, SignIn } from '../../contract/sessions'
import { timestamp } from '../../domain/timestamps'
import { browserName } from '../../domain/user-agent'
import type { Answer } from '../../gate/call'
import type { Parley } from '../../gate/parley'
import { type Answering, addressOf, answering, pathOf } from '../answering'
import { readJson } from '../body'
import { noCookie, sessionCookie, sessionOf } from './cookie'
import { refuseOtherSites, requireJsonType } from './same-origin'
import { pageTokenFor, SESSION_MS, type Started, signOut } from './sessions'
import { type Browser, lookAtLink, signInWithLink, signInWithPassword } from './sign-in'

type Handler = (request: Request, server: Server<undefined>) => Promise<Response>
type Work = (parley: Parley, request: Request, server: Server<undefined>) => Promise<Answer>

/** Signing in and out, for pages of this server. The API is another door: it takes tokens only, and no cookie. */
export function sessionRoutes(doorway: Answering): Record<string, Handler> {
  const { isSecure } = doorway
  return {
    '/session': endpoint(doorway, {
      async POST(parley, request, server) {
        const browser = browserOf(doorway, request, server)
        const started = await doorway.anonymousLimits.signIn(browser.address, async () => {
          const given = await read(doorway, isSignIn, request)
          return 'link' in given
            ? signInWithLink(parley, browser, given.link)
            : signInWithPassword(parley, browser, given)
        })
        return answer(201, signedIn(started), sessionCookie(started.secret, SESSION_MS, isSecure))
      },
      async DELETE(parley, request) {
        await signOut(parley, sessionOf(request, isSecure))
        return { ...answer(204, undefined, noCookie(isSecure)), body: null }
      },
    }),
    '/session/link': endpoint(doorway, {
      POST: (parley, request, server) =>
        doorway.anonymousLimits.signIn(addressOf(doorway, request, server), async () => {
          const { link } = await read(doorway, isLink, request)
          return answer(200, await lookAtLink(parley, link))
        }),
    }),
    '/session/token': endpoint(doorway, {
      async POST(parley, request) {
        const secret = sessionOf(request, isSecure)
        const { renewedUntil, ...token } = await pageTokenFor(parley, secret)
        const cookie = renewedUntil && sessionCookie(secret!, renewedUntil - parley.clock(), isSecure)
        return answer(200, token, cookie || undefined)
      },
    }),
  }
}

export const browserOf = (doorway: Answering, request: Request, server: Server<undefined>): Browser => ({
  name: browserName(request.headers.get('user-agent')),
  address: addressOf(doorway, request, server),
  before: sessionOf(request, doorway.isSecure),
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

/** One address, answered and logged as the API is, but only to pages of this server. */
function endpoint(doorway: Answering, methods: Record<string, Work>): Handler {
  const allow = Object.keys(methods).join(', ')
  return async (request, server) => {
    const path = pathOf(request.url)
    const work = methods[request.method]
    const name = work ? `session ${request.method} ${path}` : 'none'
    const response = await answering(doorway, request, server, name, async (parley) => {
      if (!work)
        throw new Problem('method_not_allowed', `${path} takes ${allow}, not ${request.method}.`, undefined, {
          Allow: allow,
        })
      refuseOtherSites(request, parley.links.base, doorway.isSecure)
      if (request.method === 'POST') requireJsonType(request)
      return work(parley, request, server)
    })
    response.headers.delete('Access-Control-Allow-Origin')
    response.headers.delete('Access-Control-Expose-Headers')
    response.headers.set('Vary', 'Cookie')
    return response
  }
}

/** Anyone may send it, and nobody needs more. */
const SESSION_BODY_LIMIT = 16 * 1024

const isSignIn = Compile(SignIn)
const isLink = Compile(LinkQuestion)

/** The body, or what it should be. */
async function read<T extends TSchema>(
  { bodies }: Answering,
  validator: ReturnType<typeof Compile<T>>,
  request: Request,
) {
  const body = await readJson(bodies, request, SESSION_BODY_LIMIT)
  if (validator.Check(body)) return body
  const message = 'It must be `{ link }`, or `{ email, password, workspace? }` where one signs in.'
  throw new Problem('invalid_input', message, [{ in: 'body', name: '', message }])
}
