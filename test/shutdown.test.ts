import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { serve } from './command'
import { waitForMetrics } from './metrics'
import { engineUnderTest, newDatabase } from './server'

// Each server is a separate process.
setDefaultTimeout(300_000)

async function running(env: Record<string, string> = {}) {
  const database = await newDatabase()
  const server = await serve({ DATABASE_URL: database.url, ...env }, /\/docs\n/)
  const token = server.printed.match(/Bearer (parley_[\w-]+)/)![1]!
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const { data } = (await (await fetch(`${server.url}/v2/channels`, { headers })).json()) as { data: { id: string }[] }
  return { database, server, token, headers, channel: data[0]!.id }
}

describe('SIGTERM', () => {
  test('finishes running requests, then exits with 0 and closes the database', async () => {
    const { database, server, token, headers, channel } = await running()
    const body = JSON.stringify({ channel_id: channel, content_markdown: 'Just in time' })
    const answer = slowPost(server.url, token, body, () => server.child.kill('SIGTERM'))
    expect(await answer).toStartWith('HTTP/1.1 201')
    expect(await server.child.exited).toBe(0)
    if (engineUnderTest === 'sqlite')
      for (const suffix of ['-wal', '-shm'])
        expect(existsSync(database.url.slice('sqlite:'.length) + suffix)).toBe(false)

    const again = await serve({ DATABASE_URL: database.url }, /listens on/)
    while ((await fetch(`${again.url}/readyz`)).status !== 200) await Bun.sleep(20)
    const page = await (await fetch(`${again.url}/v2/posts`, { headers })).text()
    expect(page).toContain('Just in time')
    expect(await again.stop()).toBe(0)
    await database.drop()
  })

  test('does not wait for idle connections', async () => {
    const { database, server } = await running()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const started = performance.now()
    expect(await server.stop()).toBe(0)
    // After 10 s it would stop in any case.
    expect(performance.now() - started).toBeLessThan(9_000)
    socket.destroy()
    await database.drop()
  })

  test('waits for requests of disconnected clients, without an error', async () => {
    const { database, server, token } = await running({ RATE_LIMIT: '0', LOG_LEVEL: 'warn' })
    const { port } = new URL(server.url)
    const sockets = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => {})
        await new Promise((resolve) => socket.once('connect', resolve))
        socket.write(
          `GET /v2/posts?limit=${1 + (at % 50)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        )
        return socket
      }),
    )
    await Bun.sleep(5)
    for (const socket of sockets) socket.destroy()
    expect(await server.stop()).toBe(0)
    expect(await server.log()).not.toContain('Unexpected error')
    await database.drop()
  })

  test('accepts no new connections', async () => {
    const { database, server } = await running()
    expect(await server.stop()).toBe(0)
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    await database.drop()
  })

  test('stops a server that waits for its database', async () => {
    const server = await serve({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' }, /listens on/)
    expect(server.printed).not.toContain('secret')
    expect(await server.stop()).toBe(0)
    expect(await server.log()).not.toContain('secret')
  })
})

/** Sends half of a body, calls a function, then sends the rest and returns the response. */
function slowPost(url: string, token: string, body: string, meanwhile: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', async () => {
      socket.write(
        `POST /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      )
      socket.write(body.slice(0, 10))
      await waitForMetrics(url, /^parley_unfinished_body_bytes [1-9]/m)
      meanwhile()
      await Bun.sleep(300)
      socket.write(body.slice(10))
    })
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      answer += text
      socket.end()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
