import { issueSignInLink } from '../../src/accounts/links'
import type { IdPrefix } from '../../src/domain/ids'
import { hashPassword } from '../../src/domain/passwords'
import type { Viewer } from '../../src/domain/permissions'
import { allowPassword, lockPassword, setPassword } from '../../src/store/accounts/passwords'
import { findAuthor } from '../../src/store/people/authors'
import type { Person, World } from '../world'

type Headers = Record<string, string>

const viewerOf = ({ workspaceKey }: World) => ({ workspace: { key: workspaceKey }, author: { key: 0 } }) as Viewer

const keyOf = async (cast: World, who: Person): Promise<number> =>
  (await cast.server.parley.engine.read((db) => findAuthor(db, viewerOf(cast), who.id)))!.key

/** The secret that a sign-in link carries. */
export const secretOf = (url: string): string => new URLSearchParams(new URL(url).hash.slice(1)).get('token')!

/** The secret of a new sign-in link, of which the log tells nothing. */
export async function linkFor(cast: World, who: Person): Promise<string> {
  const { links, clock, engine, newId } = cast.server.parley
  const now = clock()
  const context = { links, now, viewer: viewerOf(cast), newId: (prefix: IdPrefix) => newId(prefix, now), announce() {} }
  return secretOf((await engine.write((db) => issueSignInLink({ ...context, db }, who))).url)
}

/** Hashing takes long, on purpose. */
const hashes = new Map<string, Promise<string>>()

/** Gives someone a password that opens this workspace, as if they had chosen it here. */
export async function choosePassword(cast: World, who: Person, password: string) {
  const key = await keyOf(cast, who)
  const hash = await hashes.getOrInsertComputed(password, hashPassword)
  const { engine, clock } = cast.server.parley
  await engine.write(async (db) => {
    const { userKey } = await lockPassword(db, key)
    await setPassword(db, userKey, hash, clock())
    await allowPassword(db, { user_key: userKey, workspace_key: cast.workspaceKey, author_key: key })
  })
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
