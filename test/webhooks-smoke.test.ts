import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { startTestServer, time } from './server'
import { world } from './world'
test('webhooks', async () => {
  const server = await startTestServer({ WEBHOOK_NETWORKS: '127.0.0.0/8', SECRET_KEY: 'x'.repeat(40) })
  const { root, ada, general } = await world(server)
  const got: { headers: Record<string, string>; body: string }[] = []
  let status = 200
  const receiver = Bun.serve({ port: 0, hostname: '127.0.0.1', async fetch(r) { got.push({ headers: Object.fromEntries(r.headers), body: await r.text() }); return new Response('ok', { status }) } })
  const hook = await root.webhooks.create({ url: `http://127.0.0.1:${receiver.port}/hook`, types: ['post.created'] })
  await root.webhooks.ping({ id: hook.id })
  for (let i = 0; i < 3; i++) await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi ' + i })
  for (let i = 0; i < 50 && got.length < 4; i++) await Bun.sleep(20)
  expect(got.length).toBe(4)
  const w = new Webhook(hook.secret)
  for (const g of got) w.verify(g.body, g.headers)
  status = 500
  await ada.posts.create({ channel_id: general.id, content_markdown: 'Fail' })
  for (let i = 0; i < 50 && got.length < 5; i++) await Bun.sleep(20)
  await server.dispatcher()!.settled()
  const list = await root.webhooks.deliveries({ id: hook.id })
  console.log(list.data.map((d) => [d.event_type, d.status, d.attempts_count]), list.total_count)
  status = 200
  time.pass(6000); await server.dispatcher()!.tick(); await server.dispatcher()!.settled()
  const one = await root.webhooks.delivery({ id: list.data[0]!.id })
  console.log(one.status, one.attempts)
  await root.webhooks.replay({ id: hook.id, after: JSON.parse(got[1]!.body).id })
  await server.dispatcher()!.tick(); await server.dispatcher()!.settled()
  console.log(got.length)
  const rot = await root.webhooks.rotateSecret({ id: hook.id })
  await root.webhooks.ping({ id: hook.id }); await server.dispatcher()!.tick(); await server.dispatcher()!.settled()
  const last = got.at(-1)!; new Webhook(rot.secret).verify(last.body, last.headers); w.verify(last.body, last.headers)
  await server.stop(); receiver.stop(true)
})
