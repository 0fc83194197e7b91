import { expect, test } from 'bun:test'
import { expectInvalid } from '../expectations'
import { world } from '../world'

test('a webhook does not send what concerns a single member', async () => {
  const { root, general, server } = await world()
  await expectInvalid(
    root.webhooks.create({ url: 'http://127.0.0.1:9/hook', types: ['inbox.updated' as never] }),
    'types[0]',
  )
  const { id } = await root.webhooks.create({ url: 'http://127.0.0.1:9/hook' })
  await root.follows.set({ subject_id: general.id, level: 'all' })
  await root.channels.update({ id: general.id, name: 'Everyone' })
  await server.dispatcher()!.tick()
  const { data } = await root.webhooks.deliveries({ id })
  expect(data.map(({ event_type }) => event_type)).toEqual(['channel.updated'])
})
