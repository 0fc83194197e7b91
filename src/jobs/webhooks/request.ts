import type { Socket } from 'node:net'
import { version } from '../../version'
import { type Answer, readAnswer } from './answer'
import { codeOf, inBrackets, openConnection } from './connection'
import { DeliveryError } from './delivery-error'
import { type Destination, readTarget } from './destination'

export interface DeliveryRequest {
  url: string
  /** What `checkDestination` said about this URL. */
  destination: Destination
  headers: Readonly<Record<string, string>>
  body: string
  /** For everything from the first packet to the last byte of the answer. */
  timeoutMs: number
  /** How much of the body of the answer to read. */
  mostBytes: number
  /** Certificates (PEM) to trust instead of those that the system trusts. */
  ca?: string | string[]
}

export interface DeliveryAnswer extends Answer {
  durationMs: number
}

/** One POST to a destination that was checked. Whatever is answered is the answer: no redirect is followed. */
export async function sendRequest(request: DeliveryRequest): Promise<DeliveryAnswer> {
  const { url, destination, timeoutMs, mostBytes, ca } = request
  if (!isSameTarget(destination, url)) {
    throw new DeliveryError('refused_destination', 'The destination that was checked is not the one in the URL.')
  }
  const message = messageOf(request)

  const started = performance.now()
  const { signal, clear } = deadline(timeoutMs, destination.host)
  try {
    const socket = await openConnection(destination, { ca, signal, timeoutMs })
    const answer = await exchange(socket, message, { mostBytes, signal, host: destination.host })
    return { ...answer, durationMs: Math.round(performance.now() - started) }
  } finally {
    clear()
  }
}

function isSameTarget(destination: Destination, url: string): boolean {
  const { protocol, host, port } = readTarget(url)
  return protocol === destination.protocol && host === destination.host && port === destination.port
}

function deadline(timeoutMs: number, host: string) {
  const controller = new AbortController()
  const late = new DeliveryError('timeout', `${host} did not answer completely within ${timeoutMs} ms.`)
  const timer = setTimeout(() => controller.abort(late), timeoutMs)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

const OURS = ['host', 'user-agent', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding', 'expect']

function messageOf({ url, destination, headers, body }: DeliveryRequest): Buffer {
  const { pathname, search } = new URL(url)
  const content = Buffer.from(body)
  const lines = [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${authorityOf(destination)}`,
    `User-Agent: Parley/${version}`,
    ...Object.entries(headers).map(([name, value]) => headerLine(name, value)),
    `Content-Length: ${content.length}`,
    'Accept-Encoding: identity',
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

/** The Host header: the name as in the URL, the port only if it is not the usual one. */
export function authorityOf({ protocol, host, port }: Destination): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === (protocol === 'https:' ? 443 : 80) ? name : `${name}:${port}`
}

/** Printable ASCII only: a line break in a value would start a header, or a request, of its own. */
function headerLine(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) {
    throw new DeliveryError('malformed_request', `The header ${JSON.stringify(name)} cannot be sent as it is.`)
  }
  if (OURS.includes(name.toLowerCase())) {
    throw new DeliveryError('malformed_request', `The header ${name} is set by Parley itself.`)
  }
  return `${name}: ${value}`
}

interface ExchangeOptions {
  mostBytes: number
  signal: AbortSignal
  host: string
}

function exchange(socket: Socket, message: Buffer, { mostBytes, signal, host }: ExchangeOptions): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const reader = readAnswer(mostBytes)
  reader.next()
  const read = (chunk: Uint8Array | undefined) => {
    try {
      const { done, value } = reader.next(chunk)
      if (done && value) resolve(value)
    } catch (error) {
      reject(error)
    }
  }
  socket.on('data', read)
  socket.on('end', () => read(undefined))
  socket.on('error', (error) => reject(brokenOff(host, error)))
  socket.on('close', () => reject(brokenOff(host)))
  signal.addEventListener('abort', () => reject(signal.reason))
  if (signal.aborted) reject(signal.reason)
  else if (socket.destroyed) reject(brokenOff(host))
  else socket.write(message)
  return promise.finally(() => socket.destroy())
}

const brokenOff = (host: string, error?: unknown) =>
  new DeliveryError('connection', `${host} broke off the connection${inBrackets(codeOf(error))}.`)
