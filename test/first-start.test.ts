import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parley, serve } from './command'
import { newDatabase } from './server'
import { cookieOf, secretOf, send } from './session/browser'

// Each server is a separate process.
setDefaultTimeout(300_000)

describe('the first start', () => {
  test('prints a working link, token and request; the second start prints no secrets', async () => {
    const database = await newDatabase()
    const env = { DATABASE_URL: database.url, WORKSPACE_NAME: 'Our place', ADMIN_EMAIL: 'ada@example.com' }
    const first = await serve(env, /\/docs\n/)
    expect(first.printed).toContain('ada@example.com')
    expect(first.printed).toContain('An access token for the admin, valid until')

    const [, header, address] = first.printed.match(/curl -H "Authorization: (.+)" (\S+)/)!
    const response = await fetch(address!, { headers: { Authorization: header! } })
    const { data, total_count } = (await response.json()) as {
      data: { title: string; url: string; resolution: unknown }[]
      total_count: number
    }
    expect([response.status, total_count]).toEqual([200, 2])
    expect(data.map(({ title }) => title)).toContain('Welcome to Parley')
    expect(data.filter(({ resolution }) => resolution !== null)).toHaveLength(1)

    const tokens = await fetch(`${first.url}/v2/me/tokens`, { headers: { Authorization: header! } })
    const [made] = ((await tokens.json()) as { data: { created_at: string; expires_at: string }[] }).data
    expect(Date.parse(made!.expires_at) - Date.parse(made!.created_at)).toBe(7 * 24 * 60 * 60 * 1000)
    expect(first.printed).toContain(made!.expires_at)

    const link = first.printed.match(/http\S+\/sign-in#token=\S+/)![0]
    const secret = { link: secretOf(link) }
    expect(await (await send(first.url, 'POST', '/session/link', secret)).json()).toMatchObject({
      email: 'ada@example.com',
      workspace: { name: 'Our place' },
    })
    const Cookie = cookieOf(await send(first.url, 'POST', '/session', secret))
    expect((await send(first.url, 'POST', '/session/token', {}, { Cookie })).status).toBe(200)
    expect(await first.stop()).toBe(0)
    expect(await first.log()).not.toMatch(/parley_[\w-]{43}/)

    const second = await serve(env, /listens on/)
    const again = await until(() => fetch(`${second.url}/v2/posts`, { headers: { Authorization: header! } }))
    expect(((await again.json()) as { total_count: number }).total_count).toBe(2)
    expect(await second.stop()).toBe(0)
    expect(second.printed + (await second.log())).not.toMatch(/parley_[\w-]{43}|first start|sign-in/)
    await database.drop()
  })

  test('of two servers at once creates one workspace', async () => {
    const database = await newDatabase()
    const servers = await Promise.all([1, 2].map(() => serve({ DATABASE_URL: database.url }, /listens on/)))
    for (const server of servers) await until(() => fetch(`${server.url}/readyz`))
    const { stdout } = await parley(['workspace', 'list'], { DATABASE_URL: database.url })
    expect(stdout).toMatch(/^SLUG .+\nhome {2}Home .+\n$/)
    for (const server of servers) expect(await server.stop()).toBe(0)
    await database.drop()
  })
})

/** Polls until the server is ready. */
async function until(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask()
    if (response.status !== 503) return response
    await Bun.sleep(20)
  }
}
