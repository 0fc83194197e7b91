import { connect } from 'node:net'
import { type Serve, type Server, serve } from 'bun'

/**
 * The path, the query and the headers of a request. Bun refuses more with 431 and no body; by default 16 KB, which is less than the
 * longest query of a search takes where each character is nine. Up to here, the answer is ours: see `unlessTooLong` in routes.ts.
 */
const MAX_HEAD_BYTES = 128 * 1024

type Options = Pick<Serve.Options<undefined>, 'reusePort' | 'idleTimeout' | 'maxRequestBodySize'>
type Handlers = Parameters<Server<undefined>['reload']>[0]

/** A server on one address, or on both loopback addresses. */
export interface Listener {
  port: number
  /** Answers requests with these handlers from now on. The first call starts to listen. */
  handle(handlers: Handlers): void
  stop(closeActiveConnections?: boolean): Promise<void>
}

const FREE_PORT_TRIES = 20
/** Nobody listens there; if someone does, it makes no difference. */
const UNUSED_PORT = 1
const BIND_TIMEOUT_MS = 2_000
/** The machine does not support this kind of address. */
const isUnsupported = (error: unknown) =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT'].includes((error as { code?: string }).code ?? '')

/**
 * Listens as soon as there are handlers: until then a proxy is refused, and turns to another node. Only port 0 is opened at once, because
 * links contain the port that is picked; nobody knows it before it is printed.
 */
export function openListener(host: string, port: number, options: Options): Listener {
  const open = (handlers: Handlers) =>
    openServers(host, port, (hostname, at) =>
      // Otherwise Bun would answer an error outside the API with a page that shows source code.
      serve({ ...options, ...handlers, development: false, hostname, port: at } as Serve.Options<undefined>),
    )
  let servers = port === 0 ? open({ fetch: () => new Response(null, { status: 503 }) }) : []
  return {
    port: servers[0]?.port ?? port,
    handle(handlers) {
      if (servers.length === 0) servers = open(handlers)
      else for (const server of servers) server.reload(handlers)
    },
    stop: async (closeActiveConnections) => {
      await Promise.all(servers.map((server) => server.stop(closeActiveConnections)))
    },
  }
}

/** An error if the address cannot be listened on, without listening: a socket that connects to somewhere else is bound to it. */
export async function checkAddress(host: string, port: number): Promise<void> {
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  for (const address of addresses) {
    const error = await bind(address, port)
    if (error && !(host !== address && isUnsupported(error)) && REFUSALS.includes(error.code!)) throw error
  }
}

const REFUSALS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES']

/** Binds a socket for a moment; the error of that, or of the connection to a port where nobody is expected. */
function bind(localAddress: string, localPort: number): Promise<NodeJS.ErrnoException | undefined> {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[localAddress] ?? localAddress
  return new Promise((resolve) => {
    const socket = connect({ host, port: UNUSED_PORT, localAddress, localPort })
    const end = (error?: NodeJS.ErrnoException) => {
      socket.destroy()
      resolve(error)
    }
    socket.once('connect', () => end())
    socket.once('error', end)
    socket.setTimeout(BIND_TIMEOUT_MS, () => end())
  })
}

type Open = (hostname: string, port: number) => Server<undefined>

function openServers(host: string, port: number, open: Open): Server<undefined>[] {
  if (host === 'localhost') return openLoopback(port, open)
  try {
    return [open(host, port)]
  } catch (error) {
    if (host !== '::' || !isUnsupported(error)) throw error
    return [open('0.0.0.0', port)]
  }
}

/** Some clients resolve `localhost` to 127.0.0.1, others to ::1, and few try both. */
function openLoopback(port: number, open: Open): Server<undefined>[] {
  for (let tries = 1; ; tries++) {
    const first = openIfSupported('127.0.0.1', port, open)
    if (!first) return [open('::1', port)]
    try {
      const second = openIfSupported('::1', first.port!, open)
      return second ? [first, second] : [first]
    } catch (error) {
      void first.stop(true)
      // A port that is free on one address may be in use on the other.
      if (port !== 0 || tries === FREE_PORT_TRIES) throw error
    }
  }
}

function openIfSupported(hostname: string, port: number, open: Open): Server<undefined> | undefined {
  try {
    return open(hostname, port)
  } catch (error) {
    if (isUnsupported(error)) return undefined
    throw error
  }
}

/** Once, as the limit belongs to the process. The module takes a while to load, and the port must not wait for it. */
export async function allowLongHeads() {
  const http: { maxHeaderSize: number } = (await import('node:http')).default
  http.maxHeaderSize = MAX_HEAD_BYTES
}
