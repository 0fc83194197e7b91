import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls } from 'node:tls'
import { DeliveryError } from './delivery-error'
import type { Address, Destination } from './destination'

export interface ConnectionOptions {
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string | string[]
  signal: AbortSignal
  timeoutMs: number
}

const MAX_ADDRESSES = 4

/** Connects to the first of the checked addresses that accepts, with TLS if the URL is https. */
export async function openConnection(destination: Destination, options: ConnectionOptions): Promise<Socket> {
  const socket = await openAny(destination, options)
  return destination.protocol === 'https:' ? secure(socket, destination.host, options) : socket
}

async function openAny({ addresses, host, port }: Destination, { signal, timeoutMs }: ConnectionOptions) {
  const tried = addresses.slice(0, MAX_ADDRESSES)
  let code = ''
  for (const address of tried) {
    const isLast = address === tried.at(-1)
    try {
      // An address that does not respond must not use up the time of the others.
      return await open(address, port, isLast ? signal : within(timeoutMs / tried.length, signal))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      code = codeOf(error)
    }
  }
  throw new DeliveryError('connection', `${host} did not accept a connection on port ${port}${inBrackets(code)}.`)
}

const within = (ms: number, signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(ms)])

function open({ address, family }: Address, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: address, family, port })
  return waitUntilReady(socket, 'connect', signal)
}

async function secure(tcp: Socket, host: string, { ca, signal }: ConnectionOptions): Promise<Socket> {
  try {
    const socket = await waitUntilReady(startTls(tcp, host, ca), 'secureConnect', signal)
    if (!socket.authorized) throw socket.authorizationError
    return socket
  } catch (error) {
    tcp.destroy()
    if (signal.aborted) throw signal.reason
    throw new DeliveryError('tls', `Could not make a secure connection to ${host}${inBrackets(codeOf(error))}.`)
  }
}

/** The certificate must match the name in the URL, whichever address it resolved to. */
const startTls = (socket: Socket, host: string, ca: ConnectionOptions['ca']) =>
  connectTls({
    socket,
    ca,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  })

/** Waits until a socket is connected, and destroys it if that fails or times out. */
function waitUntilReady<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>()
  const giveUp = () => reject(signal.reason)
  socket.once(event, () => resolve(socket))
  // Never removed: an unhandled error event would end the process.
  socket.on('error', reject)
  socket.once('close', () => reject(new Error('closed')))
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  promise.catch(() => socket.destroy())
  return promise.finally(() => signal.removeEventListener('abort', giveUp))
}

export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

export const inBrackets = (code: string) => (code ? ` (${code})` : '')
