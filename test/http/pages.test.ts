import { describe, expect, test } from 'bun:test'
import { newSignInLink } from '../../src/setup/sign-in-link'
import { findAuthor } from '../../src/store/authors'
import { freePort } from '../postgres'
import { startTestServer, time } from '../server'
import { type Person, type World, world } from '../world'

/** A sign-in link, as the command line makes it. */
async function linkFor({ server: { parley }, workspaceKey }: World, who: Person): Promise<string> {
  const viewer = { workspace: { key: workspaceKey } } as Parameters<typeof findAuthor>[1]
  return parley.engine.write(async (db) => {
    const author = (await findAuthor(db, viewer, who.id))!
    return newSignInLink({ db, links: parley.links, now: parley.clock(), workspaceKey }, author.key)
  })
}

const secretOf = (link: string) => new URL(link).searchParams.get('token')!
const signIn = (baseUrl: string, secret: string) =>
  fetch(`${baseUrl}/sign-in`, { method: 'POST', body: new URLSearchParams({ token: secret }), redirect: 'manual' })
const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!

async function signedIn(cast: World, who: Person) {
  const response = await signIn(cast.baseUrl, secretOf(await linkFor(cast, who)))
  const headers = { Cookie: cookieOf(response) }
  return { headers, get: (path: string) => fetch(cast.baseUrl + path, { headers }) }
}

describe('a sign-in link', () => {
  test('says whom it signs in, and is not used up by looking', async () => {
    const cast = await world()
    const link = await linkFor(cast, cast.ada)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(link, { method })
      expect(response.status).toBe(200)
      expect(response.headers.get('set-cookie')).toBeNull()
      if (method === 'GET') expect(await response.text()).toContain('Ada Lovelace')
    }
    expect((await signIn(cast.baseUrl, secretOf(link))).status).toBe(303)
  })

  test('signs in once: the cookie is for this server’s eyes only, a second use is too late', async () => {
    const cast = await world()
    const secret = secretOf(await linkFor(cast, cast.ada))
    const response = await signIn(cast.baseUrl, secret)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    expect(response.headers.get('set-cookie')).toMatch(
      /^parley_session=parley_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    expect(response.headers.get('set-cookie')).not.toContain(secret)

    for (const again of [await signIn(cast.baseUrl, secret), await fetch(`${cast.baseUrl}/sign-in?token=${secret}`)]) {
      expect(again.status).toBe(410)
      expect(again.headers.get('set-cookie')).toBeNull()
    }
  })

  test('used ten times at once signs in once', async () => {
    const cast = await world()
    const secret = secretOf(await linkFor(cast, cast.ada))
    const responses = await Promise.all(Array.from({ length: 10 }, () => signIn(cast.baseUrl, secret)))
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 410)).toHaveLength(9)
  })

  test('ends after a week, and with its member', async () => {
    const cast = await world()
    const links = [await linkFor(cast, cast.ada), await linkFor(cast, cast.bob)]
    await cast.root.members.update({ id: cast.bob.id, is_deactivated: true })
    expect((await fetch(links[1]!)).status).toBe(410)
    time.pass(7 * 24 * 60 * 60 * 1000)
    expect((await signIn(cast.baseUrl, secretOf(links[0]!))).status).toBe(410)
  })

  test.each(['', 'x', '%00', '%22%3E%3Cscript%3E'])('made up (%s) does nothing', async (token) => {
    const { baseUrl } = await world()
    const response = await fetch(`${baseUrl}/sign-in?token=${token}`)
    expect(response.status).toBe(410)
    expect(await response.text()).not.toContain('<script>')
  })

  test('sets a cookie that only travels over TLS, where there is TLS', async () => {
    const port = String(await freePort())
    const server = await startTestServer({ PUBLIC_URL: 'https://parley.example.com', PORT: port })
    const made = (await server.ready)!.signInLink
    expect(made).toStartWith('https://parley.example.com/sign-in?token=')
    const response = await signIn(`http://127.0.0.1:${port}`, secretOf(made))
    expect(response.headers.get('set-cookie')).toEndWith('; Secure')
    await server.stop()
  })
})

describe('the pages', () => {
  test('a post opens at its url, for who may see it', async () => {
    const cast = await world()
    const { ada, general, root } = cast
    const post = await ada.posts.create({
      channel_id: general.id,
      title: '<b>Title</b>',
      content_markdown: 'Some **words**',
    })
    await ada.comments.create({ post_id: post.id, content_markdown: 'A comment' })
    await root.posts.resolve({ post_id: post.id, content_markdown: 'A note' })
    const { get } = await signedIn(cast, cast.bob)

    const page = await get(new URL(post.url).pathname)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await page.text()
    for (const part of ['&lt;b&gt;Title&lt;/b&gt;', 'Some <strong>words</strong>', 'A comment', 'A note', 'Bob Moore'])
      expect(html).toContain(part)
    expect(html).not.toContain('<b>Title')
    expect(await (await get('/')).text()).toContain(`/posts/${post.id}`)
    expect((await fetch(post.url)).status).toBe(401)
  })

  test('a thread opens at its url, and a member where a mention leads', async () => {
    const cast = await world()
    const { ada, bob, vic } = cast
    const { thread_id } = await ada.messages.createDirect({
      member_id: bob.id,
      content_markdown: `Hi <@${bob.id}>, *lunch*?`,
    })
    const { url } = await ada.threads.get({ id: thread_id })
    const { get } = await signedIn(cast, bob)

    const html = await (await get(new URL(url).pathname)).text()
    expect(html).toContain('<em>lunch</em>')
    const [, mention] = html.match(/class="mention" href="([^"]+)"/) ?? []
    expect(await (await get(new URL(mention!).pathname)).text()).toContain('bob@example.com')
    expect((await (await signedIn(cast, vic)).get(new URL(url).pathname)).status).toBe(404)
  })

  test('what one may not see is not there', async () => {
    const cast = await world()
    const { ada, general, gus } = cast
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Not for guests' })
    const { get } = await signedIn(cast, gus)
    const page = await get(`/posts/${post.id}`)
    expect(page.status).toBe(404)
    expect(await page.text()).not.toContain('Not for guests')
    expect(await (await get('/')).text()).not.toContain('Not for guests')
    expect((await get('/posts/%00')).status).toBeLessThan(500)
  })

  test('signing out ends the session on the server too', async () => {
    const cast = await world()
    const { headers, get } = await signedIn(cast, cast.ada)
    expect((await get('/')).status).toBe(200)
    const out = await fetch(`${cast.baseUrl}/sign-out`, { method: 'POST', headers, redirect: 'manual' })
    expect(out.status).toBe(303)
    expect(out.headers.get('set-cookie')).toContain('parley_session=; Path=/; Max-Age=0')
    expect((await get('/')).status).toBe(401)
  })

  test('a session ends after thirty days, and with its member', async () => {
    const cast = await world()
    const ada = await signedIn(cast, cast.ada)
    const bob = await signedIn(cast, cast.bob)
    await cast.root.members.update({ id: cast.bob.id, is_deactivated: true })
    expect((await bob.get('/')).status).toBe(401)
    expect((await ada.get('/')).status).toBe(200)
    time.pass(30 * 24 * 60 * 60 * 1000)
    expect((await ada.get('/')).status).toBe(401)
  })

  test('a session is not among the tokens of a member, and a cookie opens no API', async () => {
    const cast = await world()
    const { headers } = await signedIn(cast, cast.ada)
    expect((await cast.ada.tokens.listMine()).total_count).toBe(1)
    expect((await fetch(`${cast.baseUrl}/v2/me`, { headers })).status).toBe(401)
  })
})
