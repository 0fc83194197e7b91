import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readConfig } from '../src/config'
import { settings } from '../src/config/settings'
import { openLog } from '../src/log'
import { parley } from './command'
import { overSocket } from './http/wire'
import { newDatabase, startTestServer } from './server'
import { choosePassword, send } from './session/browser'
import { type World, world } from './world'

setDefaultTimeout(300_000)

/** An invalid token and a wrong password. No answer or log may contain them. */
const MARK = 'hunter2MARKER'
const TOKEN = `parley_${MARK}${'x'.repeat(43 - MARK.length)}`
/** The same token, written in another way. */
const ENCODED = TOKEN.replace('_', '%5F').replace('y', '%79')
const WEBHOOK_SECRET = `whsec_${MARK}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=`
const PASSWORD = `${MARK} and more`

const written: string[] = []
const log = openLog({ level: 'debug', format: 'json', write: (text) => void written.push(text) })
let server: Awaited<ReturnType<typeof startTestServer>>
let cast: World

beforeAll(async () => {
  server = await startTestServer({}, { log })
  cast = await world(server)
  await choosePassword(cast, cast.ada, 'correct horse battery')
})
afterAll(() => server.stop())

/** The whole response as text: status, headers and body. It must be an error. */
async function readResponse(response: Response): Promise<string> {
  expect(response.status).toBeGreaterThanOrEqual(400)
  return `${JSON.stringify([...response.headers])} ${await response.text()}`
}

function logged(): string {
  log.flush()
  return written.splice(0).join('')
}

async function expectNotEchoed(answer: Promise<Response>) {
  expect(await readResponse(await answer)).not.toContain(MARK)
  expect(logged()).not.toContain(MARK)
}

describe('the server neither repeats nor logs secrets', () => {
  const headers: Record<string, string>[] = [
    { Authorization: `Bearer ${TOKEN}` },
    { Authorization: TOKEN },
    { Authorization: `Basic ${PASSWORD}` },
    { Authorization: `Bearer ${TOKEN} ${PASSWORD}` },
    { Cookie: `parley_session=${TOKEN}` },
  ]
  test.each(headers)('in the header %j', async (given) => {
    await expectNotEchoed(fetch(`${server.url}/v2/posts`, { headers: given }))
    await expectNotEchoed(fetch(`${server.url}/v2/events`, { headers: { ...given, Accept: 'text/event-stream' } }))
    await expectNotEchoed(send(server.url, 'POST', '/session/token', {}, given))
  })

  test.each([
    ['Content-Type', `application/${PASSWORD}`],
    ['Content-Type', TOKEN],
    ['Content-Type', `application/json; charset=${MARK}`],
    ['Idempotency-Key', `${TOKEN} ü`],
    ['Last-Event-ID', TOKEN],
  ])('in the header %s: %s', async (name, value) => {
    const method = name === 'Last-Event-ID' ? 'GET' : 'POST'
    const answer = await overSocket(
      server.url,
      `${method} /v2/${method === 'GET' ? 'events' : 'posts'} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n` +
        `Authorization: Bearer ${cast.ada.token}\r\n${name}: ${value}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 4/)
    expect(answer).not.toContain(MARK)
    expect(logged()).not.toContain(MARK)
  })

  const paths: [string, string][] = [
    ['GET', `/v2/posts/${TOKEN}`],
    ['DELETE', `/v2/tokens/${TOKEN}`],
    ['GET', `/v2/${TOKEN}`],
    ['GET', `/${TOKEN}`],
    ['POST', `/v2/posts/${TOKEN}`],
    ['GET', `/avatars/32/${TOKEN}`],
    ['GET', `/v2/posts?after=${TOKEN}`],
    ['GET', `/v2/posts?channel_id=${TOKEN}`],
    ['GET', `/v2/posts?sort=${TOKEN}`],
    ['GET', `/v2/posts?limit=${TOKEN}`],
    ['GET', `/v2/posts?resolved=${TOKEN}`],
    ['GET', `/v2/posts?access_token=${encodeURIComponent(PASSWORD)}`],
    ['GET', `/v2/posts?token=${TOKEN}`],
    ['GET', `/v2/posts?${TOKEN}`],
    ['GET', `/v2/events?after=${TOKEN}`],
    ['GET', `/v2/events?types=${TOKEN}`],
    ['GET', `/v2/members?roles=${TOKEN}`],
    ['DELETE', `/sign-in?token=${TOKEN}`],
    ['GET', `/v2/me?password=${encodeURIComponent(PASSWORD)}`],
    ['GET', `/v2/me?access_token=${TOKEN}`],
    // The token of such a link turns off someone's mails, however it is written, and so does most of it with the rest.
    ...['GET', 'POST', 'PUT'].map((method): [string, string] => [method, `/unsubscribe/${TOKEN}`]),
    ['GET', `/unsubscribe/${MARK}`],
    ['GET', `/unsubscribe/${ENCODED}`],
    ['PUT', `/unsubscribe/${ENCODED}`],
    ['GET', `/unsubscribe/${MARK}/`],
    ['GET', `//unsubscribe/${MARK}`],
    ['GET', `/Unsubscribe/${MARK}`],
    ['GET', `/%75nsubscribe/${MARK}`],
    ['POST', `/%2568ooks/${MARK}`],
    ['POST', `/hooks%2f${MARK}`],
    ['GET', `/v2/posts/${ENCODED}`],
    ['GET', `/v2/posts/x%FF${ENCODED}`],
    ['GET', `/${encodeURIComponent(ENCODED)}`],
    ['GET', `/sign-in/${ENCODED}`],
    ['GET', `/files/${ENCODED}/large`],
  ]
  test.each(paths)('in the address: %s %s', async (method, path) => {
    await expectNotEchoed(cast.raw(cast.ada, path, { method }))
    await expectNotEchoed(cast.raw(undefined, path, { method }))
  })

  const bodies = [
    PASSWORD,
    `"${PASSWORD}`,
    `{"password": ${MARK}}`,
    `{"password": "${PASSWORD}}`,
    `{"password": "${PASSWORD}" "${PASSWORD}"}`,
    `{${MARK}: 1}`,
    `{'password': '${PASSWORD}'}`,
    `{"password": "\\x${PASSWORD}"}`,
    `{"password": 0${MARK}}`,
    `{"password": ["${PASSWORD}"]}`,
    `{"new_password": {"${TOKEN}": "${PASSWORD}"}}`,
    `{"current_password": "${PASSWORD}"}`,
    `{"current_password": "${PASSWORD}", "password": "${PASSWORD}", "new_password": "${PASSWORD}"}`,
    `{"${TOKEN}": 1}`,
    `["${PASSWORD}"]`,
    `"${PASSWORD}"`,
    `{"link": "${TOKEN}"}`,
    `{"email": "ada@example.com", "password": "${PASSWORD}"}`,
    `{"email": "ada@example.com", "password": "${PASSWORD}", "workspace": "${TOKEN}"}`,
    `{"email": "${TOKEN}", "password": "${PASSWORD.repeat(50)}"}`,
    `{"url": "https://user:${MARK}@example.com/", "event_types": ["${TOKEN}"]}`,
    `{"url": "http://127.0.0.1/${TOKEN}", "secret": "${WEBHOOK_SECRET}"}`,
    `{"scopes": ["${TOKEN}"], "expires_at": "${TOKEN}"}`,
    `{"channel_id": "${TOKEN}", "content_markdown": "x"}`,
  ]
  const places: [string, string][] = [
    ['PUT', '/v2/me/password'],
    ['POST', '/v2/me/tokens'],
    ['POST', '/v2/posts'],
    ['POST', '/v2/webhooks'],
    ['PATCH', `/v2/webhooks/${TOKEN}`],
  ]
  test.each(bodies)('in the body %j', async (body) => {
    const init = { headers: { 'Content-Type': 'application/json' }, body }
    for (const [method, path] of places) await expectNotEchoed(cast.raw(cast.root, path, { ...init, method }))
    for (const path of ['/session', '/session/link'])
      await expectNotEchoed(fetch(server.url + path, { ...init, method: 'POST' }))
    await expectNotEchoed(cast.raw(cast.ada, '/v2/me/avatar', { ...init, method: 'PUT' }))
  })

  test('in a logged error', () => {
    log.error('Unexpected error', {
      error: `Error: ${TOKEN} is no ${WEBHOOK_SECRET}\n  at x`,
      path: `/v2/posts/${TOKEN}`,
    })
    expect(logged()).not.toContain(MARK)
  })
})

describe('errors about invalid settings do not show', () => {
  const refusal = (env: Record<string, string>): string => {
    try {
      readConfig(env)
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  test.each(Object.keys(settings))('a token in %s', (name) => expect(refusal({ [name]: TOKEN })).not.toContain(MARK))

  test.each([
    ['SECRET_KEY', MARK],
    ['DATABASE_URL', `postgres://u:${MARK}`],
    ['DATABASE_URL', `postgres://u:${MARK}/`],
    ['DATABASE_URL', `postgres://u:a@${MARK}@h/`],
    ['DATABASE_URL', `postgres://host?password=${MARK}`],
    ['DATABASE_URL', `u:${MARK}@host/parley`],
    ['DATABASE_URL', `host=db password=${MARK}`],
    ['DATABASE_URL', `mysql://u:${MARK}@h/d`],
    ['PUBLIC_URL', `https://${MARK}@x`],
    ['PUBLIC_URL', `https://u:${MARK}@x`],
    ['PUBLIC_URL', `https://x/?token=${MARK}`],
  ])('a password in %s: %s', (name, value) => {
    const message = refusal({ [name]: value })
    expect(message).toStartWith(`${name}=`)
    expect(message).not.toContain(MARK)
  })

  test('the password of an unreachable database, in any form', async () => {
    for (const url of [`postgres://u:${MARK}@127.0.0.1:1/d`, `postgres://u@127.0.0.1:1/d?password=${MARK}`]) {
      const { stdout, stderr, code } = await parley(['workspace', 'list'], { DATABASE_URL: url })
      expect(code).toBe(1)
      expect(stdout + stderr).toContain('does not answer')
      expect(stdout + stderr).not.toContain(MARK)
    }
  })
})

describe('the command line does not repeat a token', () => {
  const commands = [
    ['token', 'revoke', TOKEN],
    [TOKEN],
    ['token', TOKEN],
    ['token', 'create', '--app', 'X', '--scopes', TOKEN],
    ['token', 'create', '--app', 'X', '--expires-at', TOKEN],
    ['token', 'list', '--workspace', TOKEN],
    ['token', 'list', `--${TOKEN}`],
    ['token', 'list', TOKEN],
    ['member', 'link', '--email', TOKEN],
    ['seed', '--posts', TOKEN],
  ]
  test('given in the wrong place', async () => {
    const database = await newDatabase()
    expect((await parley(['migrate'], { DATABASE_URL: database.url })).code).toBe(0)
    await parley(['workspace', 'create', '--name', 'Home', '--slug', 'home'], { DATABASE_URL: database.url })
    for (const command of commands) {
      const { stdout, stderr, code } = await parley(command, { DATABASE_URL: database.url })
      expect(code).not.toBe(0)
      expect(stdout + stderr).not.toContain(MARK)
    }
    await database.drop()
  })
})
