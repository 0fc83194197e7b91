import { describe, expect, test } from 'bun:test'
import type { Scope } from '../src/contract/operation'
import { expectConsistent } from './consistency'
import {
  countReads,
  expectInvalid,
  expectPages,
  expectRefusals,
  expectRefused,
  idOf,
  ids,
  timestamp,
  waitUntil,
} from './expectations'
import { time } from './server'
import { world } from './world'

const inOneHour = () => new Date(time.now() + 3_600_000).toISOString()

describe('tokens.createMine', () => {
  test('creates a token and shows it once', async () => {
    const { ada, as, events } = await world()
    const made = await ada.tokens.createMine({ scopes: ['write', 'read'], name: ' Laptop ' })

    expect(made).toEqual({
      id: idOf('tok'),
      name: 'Laptop',
      scopes: ['read', 'write'],
      created_at: timestamp,
      expires_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^parley_[\w-]{43}$/),
    })
    expect(await as(made.token).me.get()).toMatchObject({ author: { id: ada.id }, scopes: ['read', 'write'] })
    const { token, ...shown } = made
    const listed = (await ada.tokens.listMine()).data.find(({ id }) => id === made.id)
    expect(listed).toEqual({ ...shown, last_used_at: listed!.last_used_at })
    expect(JSON.stringify(await ada.tokens.listMine())).not.toContain(token)
    expect(await events()).toEqual(['token.created'])
  })

  test('its event does not contain the secret', async () => {
    const { ada, eventRows } = await world()
    const { token } = await ada.tokens.createMine({ scopes: ['read'] })
    expect(JSON.stringify(await eventRows())).not.toContain(token)
  })

  test('a replay does not show it again', async () => {
    const { ada, events } = await world()
    const make = () => ada.tokens.createMine({ scopes: ['read'] }, { idempotencyKey: 'once' })
    await make()
    await expect(make()).rejects.toMatchObject({ code: 'secret_already_shown', status: 409 })
    expect(await events()).toEqual(['token.created'])
  })

  test('only members and admins are allowed', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.tokens.createMine({ scopes: ['read'] }), {
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'forbidden',
      reader: 'insufficient_scope',
    })
    expect((await everyone.root.tokens.createMine({ scopes: ['admin'] })).scopes).toEqual(['admin'])
  })

  test('a token cannot create one with more scopes', async () => {
    const { ada, root, tokenFor, events } = await world()
    const writer = await tokenFor(root.id, ['write'])
    await expectRefused(writer.tokens.createMine({ scopes: ['read', 'admin'] }), 'forbidden')
    await expectRefused(ada.tokens.createMine({ scopes: ['admin'] }), 'forbidden')
    expect((await writer.tokens.createMine({ scopes: ['write'] })).scopes).toEqual(['write'])
    expect(await events()).toEqual(['token.created', 'token.created'])
  })

  test('the token expires at the given time', async () => {
    const { ada, as } = await world()
    const { token, expires_at } = await ada.tokens.createMine({ scopes: ['read'], expires_at: inOneHour() })
    const client = as(token)
    expect(expires_at).toEqual(timestamp)
    await client.me.get()
    time.advance(3_600_001)
    await expect(client.me.get()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
  })

  test('reports every invalid field', async () => {
    const { ada, events } = await world()
    const past = new Date(time.now() - 1).toISOString()
    await expectInvalid(ada.tokens.createMine({} as never), 'scopes')
    await expectInvalid(ada.tokens.createMine({ scopes: [] }), 'scopes')
    await expectInvalid(ada.tokens.createMine({ scopes: ['all'] } as never), 'scopes[0]')
    await expectInvalid(ada.tokens.createMine({ scopes: ['read'], name: 'x'.repeat(101) }), 'name')
    await expectInvalid(ada.tokens.createMine({ scopes: ['read'], expires_at: 'tomorrow' }), 'expires_at')
    await expectInvalid(ada.tokens.createMine({ scopes: ['read'], expires_at: past }), 'expires_at')
    await expectInvalid(ada.tokens.createMine({ scopes: ['read'], owner: 'x' } as never), 'owner')
    expect(await events()).toEqual([])
  })
})

describe('tokens.listMine', () => {
  test('lists one’s own tokens, oldest first', async () => {
    const { ada, bob } = await world()
    for (const name of ['a', 'b', 'c', 'd']) {
      time.advance(5)
      await ada.tokens.createMine({ scopes: ['read'], name })
    }
    await waitUntil(async () => (await ada.tokens.listMine()).data[0]!.last_used_at !== null)
    const { data, total_count } = await ada.tokens.listMine()
    expect(total_count).toBe(5)
    expect(data.map(({ name }) => name)).toEqual(['', 'a', 'b', 'c', 'd'])
    await expectPages((page) => ada.tokens.listMine(page), data)
    await expectPages((page) => ada.tokens.listMine({ ...page, direction: 'desc' }), data.toReversed())
    expect((await bob.tokens.listMine()).total_count).toBe(1)
  })

  test('everyone is allowed, including apps', async () => {
    const { vic, gus, bot, zed } = await world()
    for (const who of [vic, gus, bot, zed]) expect((await who.tokens.listMine()).total_count).toBe(1)
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await world()
    const cost = () => countReads(everyone, everyone.ada, (who) => who.tokens.listMine())
    const few = await cost()
    await Promise.all(Array.from({ length: 20 }, () => everyone.ada.tokens.createMine({ scopes: ['read'] })))
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(3)
  })
})

describe('tokens.delete', () => {
  test('revokes the token at once', async () => {
    const { ada, as, events } = await world()
    const { id, token } = await ada.tokens.createMine({ scopes: ['read'] })
    const client = as(token)
    await client.me.get()
    expect(await ada.tokens.delete({ id })).toBeUndefined()

    await expect(client.me.get()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
    await expectRefused(ada.tokens.delete({ id }), 'not_found')
    expect((await ada.tokens.listMine()).total_count).toBe(1)
    expect(await events()).toEqual(['token.created', 'token.revoked'])
  })

  test('a read-only token can revoke itself', async () => {
    const { vic, tokenFor } = await world()
    const reader = await tokenFor(vic.id, ['read'])
    const [own] = (await reader.tokens.listMine()).data
    await reader.tokens.delete({ id: own!.id })
    await expectRefused(reader.me.get(), 'unauthenticated')
  })

  test('admins can revoke any token; to others it is not found', async () => {
    const everyone = await world()
    const { id } = await everyone.ada.tokens.createMine({ scopes: ['read'] })
    await expectRefusals(everyone, (who) => who.tokens.delete({ id }), {
      bob: 'not_found',
      vic: 'not_found',
      gus: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
    })
    const writer = await everyone.tokenFor(everyone.root.id, ['write'])
    await expectRefused(writer.tokens.delete({ id }), 'not_found')
    await everyone.root.tokens.delete({ id })
    expect(ids((await everyone.ada.tokens.listMine()).data)).not.toContain(id)
  })
})

describe('managing a token requires at least its scopes', () => {
  const all: Scope[][] = [['read'], ['write'], ['admin'], ['read', 'write'], ['read', 'admin'], ['write', 'admin']]
  const within: Record<Scope, string[]> = {
    read: ['read'],
    write: ['read', 'write', 'read,write'],
    admin: [...all, ['read', 'write', 'admin']].map((scopes) => scopes.join()),
  }

  test.each(Object.keys(within) as Scope[])(
    'a token with %s lists, counts and revokes only tokens with no more scopes',
    async (scope) => {
      const { root, tokenFor, as, events } = await world()
      for (const scopes of [...all, ['read', 'write', 'admin']] as Scope[][]) await root.tokens.createMine({ scopes })
      const made = (await root.tokens.listMine()).data.slice(1)
      const caller = await tokenFor(root.id, [scope])
      const { data, total_count } = await caller.tokens.listMine()
      const listed = data.map(({ scopes }) => scopes.join())
      const own = [...(scope === 'admin' ? ['admin'] : []), scope]
      expect([listed.sort(), total_count]).toEqual([
        [...within[scope], ...own].sort(),
        within[scope].length + own.length,
      ])
      const pages = (await caller.tokens.listMine({ limit: 1 })).total_count
      expect(pages).toBe(total_count)

      const before = (await events()).length
      let revoked = 0
      for (const { id, scopes } of made) {
        const isCovered = within[scope].includes(scopes.join())
        if (isCovered) {
          await caller.tokens.delete({ id })
          revoked += 1
        } else await expectRefused(caller.tokens.delete({ id }), 'not_found')
      }
      expect((await events()).slice(before)).toEqual(Array(revoked).fill('token.revoked'))
      expect((await as(root.token).me.get()).author.id).toBe(root.id)
    },
  )

  test('an app’s token cannot revoke one with more scopes', async () => {
    const { root, bot, tokenFor } = await world()
    const reader = await tokenFor(bot.id, ['read'])
    const strong = (await root.apps.listTokens({ id: bot.id })).data.find(({ scopes }) => scopes.includes('write'))!
    await expectRefused(reader.tokens.delete({ id: strong.id }), 'not_found')
    expect((await reader.tokens.listMine()).total_count).toBe(1)
    expect((await bot.tokens.listMine()).total_count).toBe(2)
  })

  test('listing and ending sessions requires the admin scope', async () => {
    const { ada, tokenFor } = await world()
    for (const scope of ['read', 'write'] as const) {
      const weak = await tokenFor(ada.id, [scope])
      await expectRefused(weak.sessions.list(), 'insufficient_scope')
      await expectRefused(weak.sessions.deleteAll(), 'insufficient_scope')
      await expectRefused(weak.me.setPassword({ password: 'correct horse' }), 'insufficient_scope')
      await expectRefused(weak.me.deletePassword({}), 'insufficient_scope')
    }
  })
})

describe('the limit of 100 active tokens', () => {
  test('applies to a member, also under concurrency', async () => {
    const { ada, events } = await world()
    const attempts = Array.from({ length: 130 }, () =>
      ada.tokens.createMine({ scopes: ['read'] }).then(
        () => 'made',
        ({ code, status }) => `${status} ${code}`,
      ),
    )
    const done = await Promise.all(attempts)
    // Ada already has one.
    expect(done.filter((each) => each === 'made')).toHaveLength(99)
    expect(done.filter((each) => each === '409 too_many_tokens')).toHaveLength(31)
    expect((await ada.tokens.listMine()).total_count).toBe(100)
    expect(await events()).toEqual(Array(99).fill('token.created'))

    const [, spare] = (await ada.tokens.listMine()).data
    await ada.tokens.delete({ id: spare!.id })
    await ada.tokens.createMine({ scopes: ['read'] })
    await expectRefused(ada.tokens.createMine({ scopes: ['read'] }), 'too_many_tokens')
  })

  test('applies to an app; expired tokens do not count, and are deleted', async () => {
    const { root, server } = await world()
    const { id } = await root.apps.create({ name: 'Builds' })
    for (let round = 0; round < 3; round++) {
      const expires_at = inOneHour()
      await Promise.all(Array.from({ length: 100 }, () => root.apps.createToken({ id, scopes: ['read'], expires_at })))
      await expect(root.apps.createToken({ id, scopes: ['read'] })).rejects.toMatchObject({
        code: 'too_many_tokens',
        status: 409,
        detail: expect.stringContaining('Revoke one'),
      })
      time.advance(3_600_001)
    }
    await root.apps.createToken({ id, scopes: ['read'] })
    expect((await root.apps.listTokens({ id })).total_count).toBe(101)
    await expectConsistent(server)
  })
})

describe('the last use of tokens', () => {
  test('is recorded for each token, also under concurrency', async () => {
    const { root, bot, tokenFor } = await world()
    const clients = []
    for (let number = 0; number < 12; number++) clients.push(await tokenFor(bot.id, ['read']))
    await Promise.all(
      clients.map(async (client, number) => {
        await Bun.sleep(number / 3)
        await client.me.get()
      }),
    )
    const used = async () =>
      (await root.apps.listTokens({ id: bot.id })).data.filter(({ last_used_at }) => last_used_at !== null).length
    await waitUntil(async () => (await used()) === 12)
  })
})
