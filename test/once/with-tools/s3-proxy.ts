import { createConnection, createServer, type Socket } from 'node:net'

/** What happens to a request. */
export interface Fault {
  /** The connection is cut after so many bytes of the server, or of the client. */
  downAfter?: number
  upAfter?: number
  /** Nothing more is sent after so many bytes of the server, or read after so many of the client. The connection stays open. */
  holdAfter?: number
  stopAfter?: number
  /** The request is read, and never answered. */
  isSilent?: boolean
  /**
   * Each megabyte takes half a second, until so many bytes were sent or received. The rest is fast: the client cannot see the progress
   * of bytes that wait in the buffers of its connection.
   */
  slowUntil?: number
}

export type S3Proxy = Awaited<ReturnType<typeof startS3Proxy>>

/** A proxy before an S3 server that breaks, delays or holds what it is told to. */
export async function startS3Proxy(s3Port: number) {
  const sockets = new Set<Socket>()
  const server = createServer(relay).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const proxy = {
    port: (server.address() as { port: number }).port,
    /** What happens to the next requests. */
    faults: [] as Fault[],
    /** The methods of all requests so far. */
    methods: [] as string[],
    /** What happens to all others, by method and path. */
    faultOf: (_request: string): Fault | undefined => undefined,
    /** The connection of the latest request that got only a part of its answer. */
    held: undefined as Socket | undefined,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return proxy

  function relay(client: Socket): void {
    let fault: Fault | undefined
    let [up, down] = [0, 0]
    const upstream = createConnection(s3Port, '127.0.0.1')
    const end = () => [client, upstream].map((socket) => socket.destroy())
    for (const socket of [client, upstream]) sockets.add(socket.on('error', end).on('close', end))
    /** `at` is the number of bytes so far, including these. */
    const passOn = async (from: Socket, to: Socket, bytes: Uint8Array, at: number) => {
      const megabytes = Math.floor(at / 1e6) - Math.floor((at - bytes.length) / 1e6)
      if (megabytes === 0 || at > (fault?.slowUntil ?? 0)) return void to.write(bytes)
      from.pause()
      await Bun.sleep(500 * megabytes)
      to.write(bytes)
      from.resume()
    }
    client.on('data', (bytes) => {
      // Connections are used again, so each request has its own fault.
      const [request] = bytes.toString('latin1', 0, 500).match(/^(?:GET|PUT|DELETE) \/\S*/) ?? []
      if (request) {
        proxy.methods.push(request.split(' ')[0]!)
        fault = proxy.faults.shift() ?? proxy.faultOf(request)
        up = 0
        down = 0
      }
      up += bytes.length
      if (fault?.upAfter !== undefined && up > fault.upAfter) return end()
      if (fault?.stopAfter !== undefined && up > fault.stopAfter) return client.pause()
      if (!fault?.isSilent) void passOn(client, upstream, bytes as Buffer, up)
    })
    upstream.on('data', (bytes) => {
      down += bytes.length
      if (fault?.downAfter !== undefined && down > fault.downAfter) return end()
      const beyond = Math.max(0, down - (fault?.holdAfter ?? down))
      if (beyond > 0) proxy.held = client
      if (beyond < bytes.length)
        void passOn(upstream, client, (bytes as Buffer).subarray(0, bytes.length - beyond), down)
    })
  }
}
