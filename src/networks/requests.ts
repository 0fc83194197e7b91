import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { version } from '../version'
import { DeliveryError, type Destination, requireTarget } from './destination'

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

/** A response whose body is kept as it is. */
interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

export interface DeliveryResponse extends Omit<RawResponse, 'bytes'> {
  body: string
  durationMs: number
}

const MAX_ADDRESSES = 4
const MAX_HEAD_BYTES = 32 * 1024
const MAX_INTERIM_RESPONSES = 10

/** Sends a POST request to a checked destination. Redirects are not followed. */
export async function sendRequest(request: DeliveryRequest): Promise<DeliveryResponse> {
  const started = performance.now()
  const { bytes, ...head } = await send('POST', request)
  return { ...head, body: textOf(bytes), durationMs: Math.round(performance.now() - started) }
}

/** Sends a GET request to a checked destination. Redirects are not followed. */
export const fetchBytes = (request: Omit<DeliveryRequest, 'body'>): Promise<RawResponse> =>
  send('GET', { ...request, body: '' })

async function send(method: 'GET' | 'POST', request: DeliveryRequest): Promise<RawResponse> {
  const { url, destination, body, timeoutMs, maxBytes } = request
  if (!isSameTarget(destination, url)) {
    throw new DeliveryError('refused_destination', 'The URL does not match the destination that was checked.')
  }
  const sent = open(method, request)
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const { host } = destination
  const late = new DeliveryError('timeout', `${host} did not send a complete response within ${timeoutMs} ms.`)
  const timer = setTimeout(() => reject(late), timeoutMs)
  let interim = 0
  let response: IncomingMessage | undefined
  const explain = watchSocket(sent, destination)
  // What follows a complete response does not matter.
  const fail = (error?: unknown) => response?.complete || reject(explain(error))
  sent.on('error', fail)
  sent.on('close', fail)
  sent.on('information', () => {
    if (++interim > MAX_INTERIM_RESPONSES) reject(malformed('it has too many interim responses'))
  })
  sent.on('response', (arrived) => {
    response = arrived
    readBody(arrived, maxBytes).then(resolve, (error) => reject(explain(error)))
  })
  sent.end(body)
  return promise.finally(() => {
    clearTimeout(timer)
    sent.destroy()
  })
}

function isSameTarget(destination: Destination, url: string): boolean {
  const { protocol, host, port } = requireTarget(url)
  return protocol === destination.protocol && host === destination.host && port === destination.port
}

/** Each request has a connection of its own, to the checked addresses. The certificate must match the name in the URL. */
function open(method: 'GET' | 'POST', { url, destination, headers, body, timeoutMs, ca }: DeliveryRequest) {
  const { protocol, host, port } = destination
  const { pathname, search } = new URL(url)
  const addresses = destination.addresses.slice(0, MAX_ADDRESSES)
  // The name is not looked up again: it may stand for another address by now.
  const lookup = ((_name, _options, done) => done(null, addresses)) as LookupFunction
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value)
  return (protocol === 'https:' ? httpsRequest : httpRequest)({
    ...{ method, host, port, path: pathname + search, lookup, agent: false, setHost: false },
    // An address that does not respond must not use up the time of the others.
    ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / addresses.length) },
    ...{ ca, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
    maxHeaderSize: MAX_HEAD_BYTES,
    // Accepts line feeds without returns and the like. The connection carries no other response that could be confused by it.
    insecureHTTPParser: true,
    headers: {
      Host: authorityOf(destination),
      'User-Agent': `Parley/${version}`,
      ...headers,
      ...(method === 'POST' ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}),
      'Accept-Encoding': 'identity',
      Connection: 'close',
    },
  })
}

/** Says what an error means by how far the connection had come. */
function watchSocket(sent: ClientRequest, { protocol, host, port }: Destination) {
  let [isConnected, isReady] = [false, false]
  sent.on('socket', (socket: Socket) => {
    socket.once('connect', () => {
      isConnected = true
      isReady ||= protocol === 'http:'
    })
    socket.once('secureConnect', () => {
      isReady = true
    })
  })
  return (error?: unknown): DeliveryError => {
    if (error instanceof DeliveryError) return error
    const { code = '', reason } = (error ?? {}) as { code?: string; reason?: string }
    const inBrackets = code ? ` (${code})` : ''
    if (code.startsWith('HPE_') && isReady) return malformed(reason ?? code)
    if (isReady) return new DeliveryError('connection', `${host} closed the connection unexpectedly${inBrackets}.`)
    if (isConnected) return new DeliveryError('tls', `Could not make a secure connection to ${host}${inBrackets}.`)
    return new DeliveryError('connection', `${host} did not accept a connection on port ${port}${inBrackets}.`)
  }
}

/** Reads at most `maxBytes` of the body. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<RawResponse> {
  const status = response.statusCode ?? 0
  if (status === 101) throw malformed('it switches to another protocol')
  if (status < 200 || status > 599) throw malformed('its status is none of HTTP')
  const parts: Buffer[] = []
  let length = 0
  if (maxBytes > 0)
    for await (const chunk of response as AsyncIterable<Buffer>) {
      parts.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
  if (length < maxBytes && !response.complete)
    throw new DeliveryError('connection', 'The connection was closed before the response was complete.')
  return { status, headers: response.headers, bytes: Buffer.concat(parts).subarray(0, maxBytes) }
}

/** Drops an incomplete character at the end. PostgreSQL cannot store NUL. */
const textOf = (bytes: Buffer) => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')

const RESERVED_HEADERS = [
  ...['host', 'user-agent', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding', 'expect'],
]

/** Printable ASCII only: a line break in a value would allow header injection. */
function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) {
    throw new DeliveryError(
      'malformed_request',
      `The header ${JSON.stringify(name)} contains characters that are not allowed.`,
    )
  }
  if (RESERVED_HEADERS.includes(name.toLowerCase())) {
    throw new DeliveryError('malformed_request', `The header ${name} is set by Parley itself.`)
  }
}

/** The Host header: the name as in the URL, the port only if it is not the default. */
export function authorityOf({ protocol, host, port }: Destination): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === (protocol === 'https:' ? 443 : 80) ? name : `${name}:${port}`
}

const malformed = (what: string) =>
  new DeliveryError('malformed_answer', `The response is not valid HTTP/1.1: ${what}.`)
