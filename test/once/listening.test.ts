import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parley, serve } from '../command'
import { newDatabase } from '../server'

// Each server is a separate process.
setDefaultTimeout(300_000)

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
const hasIPv6 = addresses.some(({ address }) => address === '::1')
/** A non-loopback address of this machine, if it has one. */
const outside = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const reaches = async (host: string, port: string) =>
  (await fetch(`http://${host}:${port}/healthz`).catch(() => undefined))?.status === 200

/** Starts a server with this HOST; the addresses it can be reached at, and its output. */
async function startedWith(env: Record<string, string>) {
  const database = await newDatabase()
  const server = await serve({ DATABASE_URL: database.url, ...env }, /\/docs\n/)
  const { port } = new URL(server.url)
  const reached = {
    v4: await reaches('127.0.0.1', port),
    v6: await reaches('[::1]', port),
    localhost: await reaches('localhost', port),
    outside: outside !== undefined && (await reaches(outside, port)),
  }
  expect(await server.stop()).toBe(0)
  await database.drop()
  return { ...reached, printed: server.printed }
}

const HINT = 'Only this machine can connect. To change that, set HOST=0.0.0.0, or HOST=:: for IPv6 as well.'

describe('the address the server listens on', () => {
  test('is loopback by default, over IPv4 and IPv6; the output says how to change that', async () => {
    const { printed, ...reached } = await startedWith({ HOST: '' })
    expect(reached).toEqual({ v4: true, v6: hasIPv6, localhost: true, outside: false })
    expect(printed).toContain(HINT)
  })

  test('is all addresses with HOST=0.0.0.0 or HOST=::', async () => {
    const { printed, ...reached } = await startedWith({ HOST: '0.0.0.0' })
    expect(reached).toEqual({ v4: true, v6: false, localhost: true, outside: outside !== undefined })
    expect(printed).not.toContain('Only this machine')
    const both = await startedWith({ HOST: '::' })
    expect(both).toMatchObject({ v4: true, v6: hasIPv6, outside: outside !== undefined })
  })

  test('can be one address; behind a proxy no hint is printed', async () => {
    const { printed, ...reached } = await startedWith({ HOST: '127.0.0.1' })
    expect(reached).toMatchObject({ v4: true, v6: false, outside: false })
    expect(printed).toContain(HINT)
    const { DATABASE_URL, database } = await named()
    const server = await serve({ DATABASE_URL, HOST: 'localhost', PUBLIC_URL: 'https://x.example' }, /\/docs\n/)
    expect(server.printed).not.toContain('Only this machine')
    await server.stop()
    await database.drop()
  })

  test.each([
    ['192.0.2.1', 'HOST=192.0.2.1 is not an address of this machine.'],
    ['nosuchname.invalid', 'HOST=nosuchname.invalid cannot be resolved.'],
    ['localhost:3000', 'HOST=localhost:3000 is not valid: expected an IP address or a host name.'],
  ])('cannot be %s', async (HOST, message) => {
    const { DATABASE_URL, database } = await named()
    const { code, stderr } = await parley(['serve'], { DATABASE_URL, HOST, PORT: '0' })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`parley: ${message}`)])
    await database.drop()
  })

  test.if(hasIPv6)('does not use a port that is in use on one of the two loopback addresses', async () => {
    const { DATABASE_URL, database } = await named()
    const other = await occupy('::1')
    const { port } = other.address() as { port: number }
    const { code, stderr } = await parley(['serve'], { DATABASE_URL, PORT: String(port) })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${port} is in use.`)])
    other.close()
    await database.drop()
  })
})

async function named() {
  const database = await newDatabase()
  return { database, DATABASE_URL: database.url }
}

const occupy = (host: string) =>
  new Promise<Server>((resolve) => {
    const server = createServer().listen(0, host, () => resolve(server))
  })
