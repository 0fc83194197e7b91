import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { openLog } from '../../src/log'
import { openVault } from '../../src/operations/secret-key'
import type { Running } from '../../src/server'
import { allEvents } from '../events/log'
import { startTestServer, time } from '../server'
import { world } from '../world'
import { deliver, isSigned, openReceiver } from './receiver'

const DAY = 24 * 60 * 60 * 1000

let server: Running
let logged = ''
const receiver = openReceiver()
beforeAll(async () => {
  const write = (lines: string) => {
    logged += lines
  }
  const log = openLog({ level: 'debug', format: 'json', write })
  server = await startTestServer({}, { log })
})
afterEach(() => {
  time.unfreeze()
  time.offset = 0
  receiver.received.length = 0
})
afterAll(async () => {
  await server.stop()
  receiver.stop()
})

async function hooked() {
  const cast = await world(server)
  return { ...cast, hook: await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] }) }
}

const stored = (id: string) =>
  server.parley.engine.read((db) =>
    db.selectFrom('webhooks').where('id', '=', id).selectAll().executeTakeFirstOrThrow(),
  )

describe('the secret of a webhook', () => {
  test('is shown once, and in no other response, event, delivery or log line', async () => {
    const { root, hook, raw } = await hooked()
    const { secret } = await root.webhooks.rotateSecret({ id: hook.id })
    await root.webhooks.update({ id: hook.id, types: [] })
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    const said = JSON.stringify([
      await root.webhooks.list(),
      await root.webhooks.get({ id: hook.id }),
      await root.webhooks.deliveries({ id: hook.id }),
      await root.webhooks.delivery({ id }),
      await allEvents(root),
      receiver.received,
      await (await raw(root, '/metrics')).text(),
    ])
    server.parley.log.flush()
    for (const each of [hook.secret, secret]) {
      const bare = each.slice('whsec_'.length)
      expect([said.includes(bare), logged.includes(bare)]).toEqual([false, false])
    }
    expect(logged).toContain('webhooks.rotateSecret')
  })

  test('is encrypted, differently each time', async () => {
    const { root, hook } = await hooked()
    const other = await root.webhooks.create({ url: receiver.url })
    const [first, second] = [await stored(hook.id), await stored(other.id)]
    const bytes = Buffer.from(hook.secret.slice('whsec_'.length), 'base64')
    expect(JSON.stringify(first)).not.toContain(hook.secret.slice('whsec_'.length))
    expect(Buffer.from(first.secret, 'base64').includes(bytes)).toBe(false)
    expect(Buffer.from(first.secret, 'base64').includes(Buffer.from(hook.secret))).toBe(false)
    expect(first.secret.slice(0, 16)).not.toBe(second.secret.slice(0, 16))
    expect(server.parley.vault!.open(first.secret)).toBe(hook.secret)
  })

  test('cannot be decrypted with another key or after a change', () => {
    const vault = openVault('the right key')
    const sealed = vault.seal('whsec_x')
    expect(vault.open(sealed)).toBe('whsec_x')
    expect(vault.seal('whsec_x')).not.toBe(sealed)
    expect(() => openVault('the wrong key').open(sealed)).toThrow()
    const altered = Buffer.from(sealed, 'base64')
    altered[altered.length - 1]! ^= 1
    expect(() => vault.open(altered.toString('base64'))).toThrow()
  })

  test('is not shown again for the same Idempotency-Key', async () => {
    const { root } = await world(server)
    const make = () => root.webhooks.create({ url: receiver.url }, { idempotencyKey: 'once' })
    await make()
    await expect(make()).rejects.toMatchObject({ code: 'secret_already_shown' })
    expect((await root.webhooks.list()).total_count).toBe(1)
  })

  test('stays valid for a day after a rotation', async () => {
    const { root, hook } = await hooked()
    const ping = async () => {
      await root.webhooks.ping({ id: hook.id })
      await deliver(server)
      return receiver.received.at(-1)!
    }
    const { secret } = await root.webhooks.rotateSecret({ id: hook.id })
    expect(secret).not.toBe(hook.secret)
    const both = await ping()
    expect([isSigned(both, hook.secret), isSigned(both, secret)]).toEqual([true, true])
    expect(both.headers['webhook-signature']!.split(' ')).toHaveLength(2)

    // The hands of the clock are turned back, so that what is sent tomorrow is good today.
    time.offset = -DAY - 1_000
    const again = await root.webhooks.rotateSecret({ id: hook.id })
    time.offset = 0
    const one = await ping()
    expect([isSigned(one, secret), isSigned(one, again.secret)]).toEqual([false, true])
  })

  test('that cannot be decrypted is reported, and nothing is sent unsigned', async () => {
    const { root, hook } = await hooked()
    await server.parley.engine.write((db) =>
      db
        .updateTable('webhooks')
        .set({ secret: openVault('another').seal('whsec_x') })
        .where('id', '=', hook.id)
        .execute(),
    )
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    expect(receiver.received).toEqual([])
    const { status, attempts } = await root.webhooks.delivery({ id })
    expect([status, attempts.length]).toEqual(['pending', 1])
    expect(attempts[0]!.error).toMatch(/SECRET_KEY/)

    const { secret } = await root.webhooks.rotateSecret({ id: hook.id })
    await root.webhooks.redeliver({ id })
    await deliver(server)
    expect(isSigned(receiver.received[0]!, secret)).toBe(true)
  })
})
