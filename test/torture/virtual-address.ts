import { connect, createServer, type Socket } from 'node:net'

/** An address whose target can be replaced, like a virtual IP. */
export async function openVirtualAddress() {
  const open = new Set<Socket>()
  let target: number | undefined
  const server = createServer((caller) => {
    if (target === undefined) return void caller.destroy()
    const called = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [caller, called],
      [called, caller],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as { port: number }).port,
    /** Changes or removes the target, and closes all connections. */
    pointTo(port: number | undefined) {
      target = port
      for (const socket of open) socket.destroy()
    },
    close: () => new Promise((closed) => server.close(closed)),
  }
}
