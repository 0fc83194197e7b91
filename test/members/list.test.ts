import { describe, expect, test } from 'bun:test'
import { countReads, expectInvalid, expectPages, expectRefused, ids, inOrder, waitUntil } from '../expectations'
import { time } from '../server'
import { type Person, world } from '../world'

const namesOf = (page: { data: { user: { display_name: string } }[] }) =>
  page.data.map(({ user }) => user.display_name).sort()

const invite = (root: Person, display_name: string, email: string) =>
  root.members.create({ email, display_name, role: 'member' })

describe('members.list', () => {
  test('sorts by creation time, then by id', async () => {
    const { root, ada, bob, vic, gus } = await world()
    time.advance(5)
    const late = await invite(root, 'Late', 'late@example.com')
    const page = await ada.members.list()
    expect(page).toMatchObject({ total_count: 6, next_cursor: null, prev_cursor: null })
    expect(page.data).toEqual(inOrder(page.data))
    expect(ids(page.data).sort()).toEqual(ids([root, ada, bob, vic, gus, late]).sort())
    expect(page.data.at(-1)).toEqual(late)
    await expectPages((asked) => ada.members.list(asked), page.data)
    await expectPages((asked) => ada.members.list({ ...asked, direction: 'desc' }), page.data.toReversed())
    await expectPages((asked) => ada.members.list({ ...asked, q: 'e' }), page.data)
  })

  test('filters by roles, separated by commas or repeated', async () => {
    const { ada, raw } = await world()
    const listed = async (query: string) => namesOf(await (await raw(ada, `/v2/members?${query}`)).json())
    const some = ['Gus Guest', 'Vic Viewer']
    expect(await listed('roles=viewer,guest')).toEqual(some)
    expect(await listed('roles=viewer&roles=guest')).toEqual(some)
    expect(await listed('roles=guest,guest')).toEqual(['Gus Guest'])
    expect(await listed('roles=')).toHaveLength(5)
    expect(await ada.members.list({ roles: ['admin', 'member'], limit: 1 })).toMatchObject({ total_count: 3 })
    await expectInvalid(ada.members.list({ roles: ['owner'] } as never), 'roles[0]')
  })

  test('searches names and e-mail addresses, ignoring case and accents', async () => {
    const { root, ada } = await world()
    await invite(root, 'Zoë Müller', 'zm@example.org')
    await invite(root, '100% Sure', 'a_b@example.org')
    const found = async (q: string) => namesOf(await ada.members.list({ q }))

    expect(await found('zoe mul')).toEqual(['Zoë Müller'])
    expect(await found('MÜLL')).toEqual(['Zoë Müller'])
    expect(await found('m')).toEqual(namesOf(await ada.members.list()))
    expect(await found('LOVE')).toEqual(['Ada Lovelace'])
    expect(await found('ZM@')).toEqual(['Zoë Müller'])
    expect(await found('%')).toEqual(['100% Sure'])
    expect(await found('0% s')).toEqual(['100% Sure'])
    expect(await found('a_b')).toEqual(['100% Sure'])
    expect(await found('a_a')).toEqual([])
    for (const q of ['\\', "'", '"', '" OR "', 'NEAR(', 'nobody']) expect(await found(q)).toEqual([])
    expect(await found('')).toHaveLength(7)
    expect(await ada.members.list({ q: 'example.org', limit: 1 })).toMatchObject({ total_count: 2 })
    expect(await ada.members.list({ q: 'example.org', roles: ['admin'] })).toMatchObject({ total_count: 0 })
  })

  test('a search does not match across name and e-mail address', async () => {
    const { ada } = await world()
    expect((await ada.members.list({ q: 'lovelace ada@' })).total_count).toBe(0)
  })

  test('a cursor is valid for its own filters only', async () => {
    const { ada } = await world()
    const after = (await ada.members.list({ limit: 1 })).next_cursor!
    await expectRefused(ada.members.list({ after, q: 'e' }), 'invalid_cursor')
    await expectRefused(ada.members.list({ after, roles: ['member'] }), 'invalid_cursor')
    await expectRefused(ada.members.list({ after, sort: 'last_seen_at' }), 'invalid_cursor')
  })

  test('sorts by the last-seen time, which is recorded once a minute', async () => {
    const { ada, bob, bot, raw, server } = await world()
    const latest = async () => ids((await bot.members.list({ sort: 'last_seen_at', direction: 'desc' })).data)
    const comes = async (who: Person) => {
      await who.me.get()
      await server.parley.presence.settled()
    }
    time.advance(61_000)
    await comes(bob)
    await waitUntil(async () => (await latest())[0] === bob.id)
    time.advance(1_000)
    await comes(ada)
    await waitUntil(async () => (await latest())[0] === ada.id)
    time.advance(1_000)
    await comes(bob)
    expect((await latest()).slice(0, 2)).toEqual(ids([ada, bob]))
    time.advance(60_000)
    await comes(bob)
    await waitUntil(async () => (await latest())[0] === bob.id)

    const response = await raw(bot, '/v2/members?sort=last_seen_at')
    expect(response.headers.get('ETag')).toBeNull()
    const { data } = await bot.members.list({ sort: 'last_seen_at' })
    await expectPages((page) => bot.members.list({ ...page, sort: 'last_seen_at' }), data)
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await world()
    const { root, ada, gus } = everyone
    const costs = async () => {
      // The first search reads the names; later ones do not.
      await ada.members.list({ limit: 1, q: 'example' })
      await ada.members.list({ limit: 2, q: 'example' })
      return [
        await countReads(everyone, ada, (who) => who.members.list({ limit: 40 })),
        await countReads(everyone, ada, (who) => who.members.list({ limit: 40, q: 'example' })),
        await countReads(everyone, gus, (who) => who.members.list({ limit: 40 })),
      ]
    }
    const few = await costs()
    await Promise.all(Array.from({ length: 40 }, (_, at) => invite(root, `Member ${at}`, `m${at}@example.com`)))
    expect(await costs()).toEqual(few)
    expect(Math.max(...few)).toBeLessThanOrEqual(4)
  })
})
