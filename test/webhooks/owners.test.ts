import { afterEach, describe, expect, test } from 'bun:test'
import { allEvents, endOfLog } from '../events/log'
import { author } from '../expectations'
import { type Person, world } from '../world'
import { deliver, openReceiver, type Receiver } from './receiver'

const receivers: Receiver[] = []
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
})

function listening(): Receiver {
  const receiver = openReceiver()
  receivers.push(receiver)
  return receiver
}

/** Root owns a webhook with one delivery; amy is another admin, manager an app with the scope `admin`. */
async function owned() {
  const cast = await world()
  const { root, general } = cast
  const member = { email: `amy@${cast.slug}.example.com`, display_name: 'Amy', role: 'admin' } as const
  const amy = await cast.tokenFor((await root.members.create(member)).id, ['admin'])
  const manager = await cast.tokenFor(cast.bot.id, ['admin'])
  const receiver = listening()
  const url = `${receiver.url}/path-secret?key=query-secret`
  const { secret: _, ...hook } = await root.webhooks.create({ url })
  const start = await endOfLog(root)
  await root.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  await deliver(cast.server)
  const [delivery] = (await root.webhooks.deliveries({ id: hook.id })).data
  const { origin } = new URL(url)
  return { ...cast, amy, manager, hook, receiver, start, delivery: delivery!, masked: `${origin}/…` }
}

type Owned = Awaited<ReturnType<typeof owned>>

/** Everything that is the owner's alone. */
const ownersOnly: Record<string, (who: Person, cast: Owned, url: string) => Promise<unknown>> = {
  'change the address': (who, { hook }, url) => who.webhooks.update({ id: hook.id, url }),
  'change the types': (who, { hook }) => who.webhooks.update({ id: hook.id, types: ['post.created'] }),
  'enable it': (who, { hook }) => who.webhooks.update({ id: hook.id, is_enabled: true }),
  'change the address while disabling it': (who, { hook }, url) =>
    who.webhooks.update({ id: hook.id, is_enabled: false, url }),
  'change nothing': (who, { hook }) => who.webhooks.update({ id: hook.id }),
  'rotate its secret': (who, { hook }) => who.webhooks.rotateSecret({ id: hook.id }),
  'send a test': (who, { hook }) => who.webhooks.ping({ id: hook.id }),
  'replay the log': (who, { hook, start }) => who.webhooks.replay({ id: hook.id, after: start }),
  'list its deliveries': (who, { hook }) => who.webhooks.deliveries({ id: hook.id }),
  'read a delivery': (who, { delivery }) => who.webhooks.delivery({ id: delivery.id }),
  'send a delivery again': (who, { delivery }) => who.webhooks.redeliver({ id: delivery.id }),
}

describe.each(Object.entries(ownersOnly))('to %s', (_, deed) => {
  test('is allowed to the owner only; others get an error that names the owner', async () => {
    const cast = await owned()
    const elsewhere = listening()
    const before = await cast.root.webhooks.get({ id: cast.hook.id })
    const arrived = cast.receiver.received.length
    for (const who of [cast.amy, cast.manager])
      await expect(deed(who, cast, elsewhere.url)).rejects.toMatchObject({
        status: 403,
        code: 'forbidden',
        detail: expect.stringContaining('belongs to Root Admin'),
      })
    await deliver(cast.server)
    expect(await cast.root.webhooks.get({ id: cast.hook.id })).toEqual(before)
    expect([cast.receiver.received.length, elsewhere.received.length]).toEqual([arrived, 0])
    await deed(cast.root, cast, elsewhere.url)
  })

  test('is not found in another workspace', async () => {
    const cast = await owned()
    const after = await endOfLog(cast.zed)
    const theirs = { ...cast, start: after }
    await expect(deed(cast.zed, theirs, 'https://example.com/')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the webhook of another owner', () => {
  test('is visible to admins and apps, without its secrets', async () => {
    const { root, amy, manager, hook, masked } = await owned()
    expect(hook.owner).toEqual(author(root, 'Root Admin'))
    expect(await root.webhooks.get({ id: hook.id })).toEqual(hook)
    for (const who of [amy, manager]) {
      const seen = { ...hook, url: masked }
      expect(await who.webhooks.get({ id: hook.id })).toEqual(seen)
      expect((await who.webhooks.list()).data).toEqual([seen])
    }
    expect((await root.webhooks.list()).data).toEqual([hook])
  })

  test('does not show its URL in any event', async () => {
    const { root, amy, hook, masked } = await owned()
    await root.webhooks.update({ id: hook.id, types: ['post.created'] })
    await root.webhooks.rotateSecret({ id: hook.id })
    await amy.webhooks.update({ id: hook.id, is_enabled: false })
    await root.webhooks.delete({ id: hook.id })
    const events = (await allEvents(amy)).filter(({ type }) => type.startsWith('webhook.'))
    expect(events.map(({ data }) => (data as { url: string }).url)).toEqual(Array(5).fill(masked))
    expect(JSON.stringify(events)).not.toContain('-secret')
  })

  test.each(['amy', 'manager'] as const)(
    'is disabled by %s, who shows as the reason; its owner enables it',
    async (who) => {
      const cast = await owned()
      const { root, general, hook, receiver, masked } = cast
      const name = who === 'amy' ? 'Amy' : 'Bot'
      const off = await cast[who].webhooks.update({ id: hook.id, is_enabled: false })
      expect(off).toEqual({
        ...{ ...hook, updated_at: off.updated_at },
        ...{ url: masked, is_enabled: false, disabled_reason: `Disabled by ${name}.` },
      })
      const arrived = receiver.received.length
      await root.posts.create({ channel_id: general.id, content_markdown: 'Unheard' })
      await deliver(cast.server)
      expect(receiver.received).toHaveLength(arrived)
      const { updated_at, ...on } = await root.webhooks.update({ id: hook.id, is_enabled: true })
      expect({ ...on, updated_at: hook.updated_at }).toEqual(hook)
      expect(updated_at > hook.updated_at).toBe(true)
    },
  )

  test.each(['amy', 'manager'] as const)('can be deleted by %s', async (who) => {
    const cast = await owned()
    await cast[who].webhooks.delete({ id: cast.hook.id })
    await expect(cast.root.webhooks.get({ id: cast.hook.id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of an app is as private as one of a member', async () => {
    const { root, manager, bot } = await owned()
    const { id, owner } = await manager.webhooks.create({ url: 'https://example.com/path-secret' })
    expect(owner).toEqual(author(bot, 'Bot', 'app'))
    expect((await root.webhooks.get({ id })).url).toBe('https://example.com/…')
    await expect(root.webhooks.rotateSecret({ id })).rejects.toMatchObject({ code: 'forbidden' })
  })
})
