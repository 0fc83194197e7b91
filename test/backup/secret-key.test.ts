import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createClient } from '../client'
import { parley, serve } from '../command'
import { engineUnderTest, newDatabase } from '../server'
import { isSigned, openReceiver } from '../webhooks/receiver'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)

const RIGHT = 'the right key of this test, which is long enough'
const WRONG = 'another key of this test, which is long enough too'
const isSqlite = engineUnderTest === 'sqlite'

const receiver = openReceiver()
const drops: (() => Promise<void>)[] = []
afterEach(async () => {
  receiver.received.length = 0
  for (const drop of drops.splice(0)) await drop()
})
afterAll(() => receiver.stop())

async function newUrl(): Promise<string> {
  const { url, drop } = await newDatabase()
  drops.push(drop)
  return url
}

const keyFileOf = (url: string) => join(dirname(url.slice('sqlite:'.length)), 'secret.key')

/** Starts a server, waits until it is ready, and gives a client of the admin. */
async function started(env: Record<string, string>, token?: string) {
  const server = await serve(
    { WEBHOOK_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'warn', ...env },
    token ? /listens/ : /docs\n/,
  )
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await Bun.sleep(20)
  const known = token ?? server.printed.match(/Bearer (parley_[\w-]+)/)![1]!
  return { ...server, token: known, admin: createClient({ baseUrl: server.url, token: known }) }
}

/** A database with a webhook whose secret is encrypted with this key; without one, with the key in the file. */
async function withWebhook(key: string) {
  const DATABASE_URL = await newUrl()
  const server = await started({ DATABASE_URL, SECRET_KEY: key })
  const webhook = await server.admin.webhooks.create({ url: receiver.url, types: ['post.created'] })
  expect(await server.stop()).toBe(0)
  return { DATABASE_URL, token: server.token, webhook }
}

/** A server does not start, and says this in a line; doctor says it too. */
async function expectRefused(env: Record<string, string>, words: RegExp) {
  const { code, stderr } = await parley(['serve'], { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...env })
  expect(stderr).toMatch(words)
  expect(stderr).toContain('parley key reset')
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+|this is a bug/)
  expect(code).toBe(1)
  const examined = await parley(['doctor'], env)
  expect([examined.code, examined.stderr]).toEqual([1, ''])
  expect(examined.stdout).toMatch(/✗ secret key: /)
  expect(examined.stdout).toMatch(words)
}

describe('the secret key', () => {
  test('that is wrong or missing prevents the start, and doctor reports it', async () => {
    const { DATABASE_URL, token } = await withWebhook(RIGHT)
    await expectRefused(
      { DATABASE_URL, SECRET_KEY: WRONG },
      /SECRET_KEY is not the key that the secret of 1 webhook is encrypted with/,
    )
    await expectRefused(
      { DATABASE_URL, SECRET_KEY: '' },
      isSqlite
        ? /SECRET_KEY is not set and there is no file .*secret\.key/
        : /SECRET_KEY is not set, but the secret of/,
    )

    const env = { DATABASE_URL, SECRET_KEY: RIGHT }
    const server = await started(env, token)
    expect((await parley(['doctor'], env)).stdout).toContain('✓ secret key: it decrypts every secret')
    expect(await server.stop()).toBe(0)
    expect(await server.log()).not.toContain('SECRET_KEY')
  })

  test('may change while nothing is encrypted, with a warning', async () => {
    const DATABASE_URL = await newUrl()
    const first = await started({ DATABASE_URL, SECRET_KEY: RIGHT })
    expect(await first.stop()).toBe(0)
    const second = await started({ DATABASE_URL, SECRET_KEY: WRONG }, first.token)
    expect(await second.stop()).toBe(0)
    expect(await second.log()).toContain('SECRET_KEY has changed.')
  })

  test('can be reset: webhooks are disabled until they get new secrets', async () => {
    const { DATABASE_URL, token, webhook } = await withWebhook(RIGHT)
    const env = { DATABASE_URL, SECRET_KEY: WRONG }
    const { code, stdout } = await parley(['key', 'reset'], env)
    expect([code, stdout]).toEqual([0, 'Disabled 1 webhook until they get new secrets.\n'])
    expect((await parley(['key', 'reset'], env)).stdout).toBe(
      'The secret key decrypts every secret. No webhook was disabled.\n',
    )

    const { admin, ...server } = await started(env, token)
    const { id } = webhook
    const disabled = await admin.webhooks.get({ id })
    expect([disabled.is_enabled, disabled.disabled_reason]).toEqual([false, expect.stringContaining('new secret')])
    const { secret } = await admin.webhooks.rotateSecret({ id })
    await admin.webhooks.update({ id, is_enabled: true })
    await admin.webhooks.ping({ id })
    while (receiver.received.length === 0) await Bun.sleep(20)
    expect(isSigned(receiver.received[0]!, secret)).toBe(true)
    expect(await server.stop()).toBe(0)
    expect((await parley(['doctor'], env)).stdout).toContain('✓ secret key: it decrypts every secret')
  })

  if (isSqlite) {
    test('in a file is readable by its owner only, and checked at the start', async () => {
      const { DATABASE_URL, token } = await withWebhook('')
      const file = keyFileOf(DATABASE_URL)
      const key = await Bun.file(file).text()
      expect(statSync(file).mode & 0o777).toBe(0o600)
      rmSync(file)
      await expectRefused({ DATABASE_URL }, /there is no file .*secret\.key, but the secret of 1 webhook is encrypted/)
      expect(await Bun.file(file).exists()).toBe(false)
      writeFileSync(file, `${WRONG}\n`)
      await expectRefused({ DATABASE_URL }, /The key in .*secret\.key is not the key that the secret of 1 webhook/)
      writeFileSync(file, key)
      expect(await (await started({ DATABASE_URL }, token)).stop()).toBe(0)
    })
  } else {
    test('that is not set gives a warning', async () => {
      const DATABASE_URL = await newUrl()
      const server = await started({ DATABASE_URL })
      await expect(server.admin.webhooks.create({ url: receiver.url })).rejects.toMatchObject({
        code: 'secret_key_missing',
      })
      expect(await server.stop()).toBe(0)
      expect(await server.log()).toContain('SECRET_KEY is not set. Webhooks need it')
      const { code, stdout } = await parley(['doctor'], { DATABASE_URL })
      expect(stdout).toContain('✓ secret key: SECRET_KEY is not set. Webhooks need it')
      expect(code).toBe(0)
      expect((await parley(['key', 'reset'], { DATABASE_URL })).stderr).toContain('SECRET_KEY is not set')
    })
  }
})
