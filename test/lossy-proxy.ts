import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'

/** How many responses were lost, and how many of them in the middle. */
export interface LossyProxy extends AsyncDisposable {
  url: string
  lost: { all: number; cut: number }
}

/**
 * A proxy that loses one in five responses, after the server has done what was asked: the connection ends before the
 * response, or in the middle of it.
 */
export async function openLossyProxy(target: string, random: () => number): Promise<LossyProxy> {
  const lost = { all: 0, cut: 0 }
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    const passed = [...answer.headers].filter(([name]) => !/^(content-encoding|content-length|connection)$/.test(name))
    const isLost = random() < 0.2
    if (isLost) lost.all += 1
    if (isLost && (random() < 0.5 || body.length === 0)) return request.socket.destroy()
    // Some implementations of fetch repeat a request by themselves if a connection that was used before is lost.
    const always = { 'content-length': body.length, connection: 'close' }
    response.writeHead(answer.status, { ...Object.fromEntries(passed), ...always })
    if (!isLost) return response.end(body)
    lost.cut += 1
    response.write(body.subarray(0, body.length / 2), () => request.socket.destroy())
  })
  const port = await listen(proxy)
  return {
    url: `http://127.0.0.1:${port}`,
    lost,
    [Symbol.asyncDispose]: async () => void proxy.close(),
  }
}

/** A proxy that cuts each connection after so many bytes of the response. */
export async function openCuttingProxy(target: string, nextLength: () => number) {
  const { port: targetPort } = new URL(target)
  const sockets = new Set<Socket>()
  let cuts = 0
  const proxy = createTcpServer((client) => {
    const server = connect(Number(targetPort), '127.0.0.1')
    sockets.add(client).add(server)
    let left = nextLength()
    client.on('data', (chunk) => server.write(chunk))
    server.on('data', (chunk: Buffer) => {
      if (chunk.length < left) {
        left -= chunk.length
        return client.write(chunk)
      }
      cuts += 1
      // A moment later: what has arrived but was not read yet is lost with the connection.
      client.write(chunk.subarray(0, left))
      setTimeout(() => client.destroy(), 50)
      left = 0
      return server.destroy()
    })
    client.on('close', () => server.destroy())
    server.on('close', () => left > 0 && client.destroy())
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  const port = await listen(proxy)
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}

export type LossyLink = Awaited<ReturnType<typeof openLossyLink>>

/**
 * A link to a local port that can lose what is sent over it, and change replies. Its connections stay open, so neither side is
 * told.
 */
export async function openLossyLink(target: number, change = (reply: Buffer) => reply) {
  const pairs = new Set<{ client: Socket; server: Socket; isForgotten: boolean }>()
  const lost = { requests: false, replies: false }
  let opened = 0
  const link = createTcpServer((client) => {
    opened += 1
    const pair = { client, server: connect(target, '127.0.0.1'), isForgotten: false }
    const { server } = pair
    pairs.add(pair)
    client.on('data', (chunk) => !lost.requests && !pair.isForgotten && server.write(chunk))
    server.on('data', (chunk) => !lost.replies && !pair.isForgotten && client.write(change(chunk as Buffer)))
    const end = (other: Socket) => () => {
      pairs.delete(pair)
      // An end is not heard of either.
      if (!pair.isForgotten) other.destroy()
    }
    client.on('close', end(server))
    server.on('close', end(client))
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  const port = await listen(link)
  return {
    port,
    opened: () => opened,
    lose(...directions: (keyof typeof lost)[]) {
      for (const direction of directions) lost[direction] = true
    },
    restore() {
      lost.requests = false
      lost.replies = false
    },
    /** Loses all that is sent over the connections of this moment, for good. New ones work: as if a firewall forgot the old ones. */
    forgetConnections() {
      for (const pair of pairs) pair.isForgotten = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.destroy()
      link.close()
    },
  }
}

type Listening = { listen(port: number, host: string, done: () => void): unknown; address(): unknown }

async function listen(server: Listening): Promise<number> {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

/** Random numbers that are the same in every run: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
