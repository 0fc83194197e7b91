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
  handle(handlers: Handlers): void
  stop(closeActiveConnections?: boolean): Promise<void>
}

const FREE_PORT_TRIES = 20
/** The machine does not support this kind of address. */
const isUnsupported = (error: unknown) =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT'].includes((error as { code?: string }).code ?? '')

/** Starts to listen, and answers 503 until `handle` is called. */
export function listen(host: string, port: number, options: Options): Listener {
  const servers = openServers(host, port, (hostname, at) =>
    // Otherwise Bun would answer an error outside the API with a page that shows source code.
    serve({ ...options, development: false, hostname, port: at, fetch: () => new Response(null, { status: 503 }) }),
  )
  return {
    port: servers[0]!.port!,
    handle: (handlers) => servers.forEach((server) => void server.reload(handlers)),
    stop: async (closeActiveConnections) => {
      await Promise.all(servers.map((server) => server.stop(closeActiveConnections)))
    },
  }
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
