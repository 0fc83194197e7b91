import { newSignInLink } from '../../src/actions/members'
import { hashPassword } from '../../src/domain/passwords'
import type { Viewer } from '../../src/domain/permissions'
import { findAuthor } from '../../src/store/authors'
import { setPassword } from '../../src/store/passwords'
import type { Person, World } from '../world'

type Headers = Record<string, string>

const viewerOf = ({ workspaceKey }: World) => ({ workspace: { key: workspaceKey } }) as Viewer

const keyOf = async (cast: World, who: Person): Promise<number> =>
  (await cast.server.parley.engine.read((db) => findAuthor(db, viewerOf(cast), who.id)))!.key

/** The secret of a sign-in link, as the command line makes it. */
export async function linkFor(cast: World, who: Person): Promise<string> {
  const key = await keyOf(cast, who)
  const { links, clock, engine } = cast.server.parley
  const { url } = await engine.write((db) => newSignInLink({ db, links, now: clock(), viewer: viewerOf(cast) }, key))
  return new URL(url).searchParams.get('token')!
}

/** Hashing takes long, on purpose. */
const hashes = new Map<string, Promise<string>>()

/** Gives someone a password, as if they had chosen it. */
export async function choosePassword(cast: World, who: Person, password: string) {
  const key = await keyOf(cast, who)
  const hash = await hashes.getOrInsertComputed(password, hashPassword)
  const { engine, clock } = cast.server.parley
  await engine.write((db) => setPassword(db, key, hash, clock()))
}

/** A request as a page of this server sends it. */
export const send = (baseUrl: string, method: string, path: string, body?: unknown, headers: Headers = {}) =>
  fetch(baseUrl + path, {
    method,
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', Origin: baseUrl, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

export const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!

/** A browser in which someone is signed in. */
export async function signedIn(cast: World, who: Person, headers: Headers = {}) {
  const response = await send(cast.baseUrl, 'POST', '/session', { link: await linkFor(cast, who) }, headers)
  const cookie = cookieOf(response)
  const ask = (method: string, path: string, body?: unknown) =>
    send(cast.baseUrl, method, path, body, { Cookie: cookie, ...headers })
  return { cookie, ask, token: async () => ((await (await ask('POST', '/session/token')).json()) as Token).token }
}

export interface Token {
  token: string
  expires_at: string
}
