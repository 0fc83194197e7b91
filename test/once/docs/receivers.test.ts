import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programNamed } from '../../debian'
import { freePort } from '../../postgres'
import { startTestServer } from '../../server'
import { waitUntil } from '../../torture/child'
import { world } from '../../world'

const folder = mkdtempSync(join(tmpdir(), 'parley-receiver-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** More than fits into one packet, in characters of several bytes, which are cut apart on the way. */
const LONG_TEXT = '€'.repeat(90_000)

test.each([
  ['ts', () => process.execPath],
  ['python', () => programNamed('python3')],
])('the receiver in docs/events.md accepts signed deliveries only: %s', async (language, findProgram) => {
  const events = await Bun.file('docs/events.md').text()
  const documented = events.match(new RegExp(`\`\`\`${language} receiver\\n(.*?)\`\`\``, 's'))?.[1]
  const file = join(folder, `receiver.${language}`)
  await Bun.write(file, documented!)
  const server = await startTestServer({ WEBHOOK_NETWORKS: '127.0.0.0/8', SECRET_KEY: 'k'.repeat(32) })
  const { root, ada, general } = await world(server)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const webhook = await root.webhooks.create({ url, types: ['post.created'] })
  const receiver = Bun.spawn([findProgram(), file], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: webhook.secret },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  try {
    await untilItAnswers(url)
    const post = await ada.posts.create({ channel_id: general.id, title: 'Long', content_markdown: LONG_TEXT })
    expect(await readLine(receiver.stdout)).toBe(`post.created ${post.id}`)

    const forged = {
      'webhook-id': 'evt_x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    }
    expect((await fetch(url, { method: 'POST', body: '{"type":"x"}', headers: forged })).status).toBe(401)
  } finally {
    receiver.kill()
    await server.stop()
  }
})

/** The first line, which may arrive in several pieces. */
async function readLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of output) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes('\n')) break
  }
  return text.trim()
}

const untilItAnswers = (url: string) =>
  waitUntil(async () => (await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined)) !== undefined)
