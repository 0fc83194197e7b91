import { readFileSync } from 'node:fs'
import { newMigratedDatabase, startTestServer } from './server'
import { startChild, waitUntil } from './torture/child'
import { type Person, world } from './world'

export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>

/** A world on a server in a process of its own, so that what its clients do takes nothing from it, and its CPU time can be read. */
export async function startServerProcess() {
  const database = await newMigratedDatabase()
  const server = await startTestServer({ DATABASE_URL: database.url })
  const { ada, bob, root, general } = await world(server)
  await server.stop()
  const child = await startChild(database.url, { SECRET_KEY: 'a key of the test servers, of no use elsewhere' })
  await waitUntil(child.isReady)

  /** The CPU time of the thread that serves all requests, in milliseconds. */
  const cpu = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

  const as = ({ token }: Pick<Person, 'token'>) => ({
    /** Sends a request, reads and discards its response, and returns its status. */
    async send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
      const response = await request(token, method, path, body, headers)
      for await (const _ of response.body ?? []);
      return response.status
    },
    // biome-ignore lint/suspicious/noExplicitAny: whatever the operation returns
    json: async (method: string, path: string, body?: object): Promise<any> => {
      const response = await request(token, method, path, body)
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response.json()
    },
  })
  const request = (token: string, method: string, path: string, body?: object, headers = {}) =>
    fetch(child.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    })

  return {
    ada: as(ada),
    bob: as(bob),
    root: as(root),
    general,
    url: child.url,
    measure,
    async stop() {
      await child.kill()
      await database.drop()
    },
  }

  /**
   * Does something while others send requests. `cpu` is what the serving thread computed in all; `stall` what it computed at most
   * between a request of someone else and its response. Neither depends on how busy the machine is.
   */
  async function measure(work: () => Promise<unknown>): Promise<{ cpu: number; stall: number }> {
    let isDone = false
    let stall = 0
    const ping = async () => {
      const before = cpu()
      await fetch(`${child.url}/v2/me`, { headers: { Authorization: `Bearer ${bob.token}` } }).then((response) =>
        response.arrayBuffer(),
      )
      return cpu() - before
    }
    await ping()
    const before = cpu()
    const pings = (async () => {
      while (!isDone) {
        stall = Math.max(stall, await ping())
        await Bun.sleep(1)
      }
    })()
    await Bun.sleep(5)
    try {
      await work()
      await Bun.sleep(5)
    } finally {
      isDone = true
      await pings
    }
    return { cpu: cpu() - before, stall }
  }
}
