import type { Socket } from 'node:net'
import { version } from '../version'
import type { Reading } from './byte-reader'
import { codeOf, inBrackets, openConnection } from './connection'
import { DeliveryError } from './delivery-error'
import { type Destination, requireTarget } from './destination'
import { type RawResponse, type ReceiverResponse, readRawResponse, readResponse } from './response'

export interface DeliveryRequest {
  url: string
  /** What `checkDestination` returned for this URL. */
  destination: Destination
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
  /** From the first packet to the last byte of the response. */
  timeoutMs: number
  /** How much of the response body to read. */
  maxBytes: number
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string | string[]
}

export interface DeliveryResponse extends ReceiverResponse {
  durationMs: number
}

/** Sends a POST request to a checked destination. Redirects are not followed. */
export async function sendRequest(request: DeliveryRequest): Promise<DeliveryResponse> {
  const started = performance.now()
  const response = await send('POST', request, readResponse(request.maxBytes))
  return { ...response, durationMs: Math.round(performance.now() - started) }
}

/** Sends a GET request to a checked destination. Redirects are not followed. */
export const fetchBytes = (request: Omit<DeliveryRequest, 'body'>): Promise<RawResponse> =>
  send('GET', { ...request, body: '' }, readRawResponse(request.maxBytes))

async function send<Response>(method: 'GET' | 'POST', request: DeliveryRequest, reader: Reading<Response>) {
  const { url, destination, timeoutMs, ca } = request
  if (!isSameTarget(destination, url)) {
    throw new DeliveryError('refused_destination', 'The URL does not match the destination that was checked.')
  }
  const message = messageOf(method, request)
  const { signal, clear } = deadline(timeoutMs, destination.host)
  try {
    const socket = await openConnection(destination, { ca, signal, timeoutMs })
    return await exchange(socket, message, reader, { signal, host: destination.host })
  } finally {
    clear()
  }
}

function isSameTarget(destination: Destination, url: string): boolean {
  const { protocol, host, port } = requireTarget(url)
  return protocol === destination.protocol && host === destination.host && port === destination.port
}

function deadline(timeoutMs: number, host: string) {
  const controller = new AbortController()
  const late = new DeliveryError('timeout', `${host} did not send a complete response within ${timeoutMs} ms.`)
  const timer = setTimeout(() => controller.abort(late), timeoutMs)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

const RESERVED_HEADERS = [
  'host',
  'user-agent',
  'content-length',
  'connection',
  'accept-encoding',
  'transfer-encoding',
  'expect',
]

function messageOf(method: 'GET' | 'POST', { url, destination, headers, body }: DeliveryRequest): Buffer {
  const { pathname, search } = new URL(url)
  const content = Buffer.from(body)
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${authorityOf(destination)}`,
    `User-Agent: Parley/${version}`,
    ...Object.entries(headers).map(([name, value]) => headerLine(name, value)),
    ...(method === 'POST' ? [`Content-Length: ${content.length}`] : []),
    'Accept-Encoding: identity',
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

/** The Host header: the name as in the URL, the port only if it is not the default. */
export function authorityOf({ protocol, host, port }: Destination): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === (protocol === 'https:' ? 443 : 80) ? name : `${name}:${port}`
}

/** Printable ASCII only: a line break in a value would allow header injection. */
function headerLine(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) {
    throw new DeliveryError(
      'malformed_request',
      `The header ${JSON.stringify(name)} contains characters that are not allowed.`,
    )
  }
  if (RESERVED_HEADERS.includes(name.toLowerCase())) {
    throw new DeliveryError('malformed_request', `The header ${name} is set by Parley itself.`)
  }
  return `${name}: ${value}`
}

interface ExchangeOptions {
  signal: AbortSignal
  host: string
}

function exchange<Response>(
  socket: Socket,
  message: Buffer,
  reader: Reading<Response>,
  { signal, host }: ExchangeOptions,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
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
  socket.on('error', (error) => reject(connectionLost(host, error)))
  socket.on('close', () => reject(connectionLost(host)))
  signal.addEventListener('abort', () => reject(signal.reason))
  if (signal.aborted) reject(signal.reason)
  else if (socket.destroyed) reject(connectionLost(host))
  else socket.write(message)
  return promise.finally(() => socket.destroy())
}

const connectionLost = (host: string, error?: unknown) =>
  new DeliveryError('connection', `${host} closed the connection unexpectedly${inBrackets(codeOf(error))}.`)
