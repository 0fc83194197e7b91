import { setSystemTime } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook as Library } from 'standardwebhooks'
import type { Event } from '../../src/contract/events'
import type { Running } from '../../src/server'
import { time } from '../server'

export interface Received {
  at: number
  method: string
  path: string
  headers: Record<string, string>
  body: string
  event: Event
}

export type Behaviour = (request: Received) => Response | Promise<Response>

export const accept: Behaviour = () => new Response('Thanks')
export const answering =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  () =>
    new Response(`Status ${status}`, { status, headers })

/** Someone else's server, that behaves as it is told. */
export function openReceiver(behaviour: Behaviour = accept, port = 0) {
  const received: Received[] = []
  const receiver = {
    received,
    behaviour,
    types: () => received.map(({ event }) => event.type),
    stop: () => server.stop(true),
    url: '',
  }
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text()
      const { pathname, search } = new URL(request.url)
      const arrival: Received = {
        at: Date.now(),
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body,
        event: JSON.parse(body),
      }
      received.push(arrival)
      return receiver.behaviour(arrival)
    },
  })
  receiver.url = `http://127.0.0.1:${server.port}/hook`
  return receiver
}

export type Receiver = ReturnType<typeof openReceiver>

/** Sends everything that is due now, and waits until that is done. */
export async function deliver(server: Running) {
  await server.dispatcher()!.tick()
  await server.dispatcher()!.settled()
}

/**
 * Whether a request is signed with the secret: once by the library of the Standard Webhooks, once by what their text
 * says, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function isSigned({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string): boolean {
  // The receiver uses the clock of the sender; tests turn it on by days.
  setSystemTime(time.now())
  const verdicts = [byTheText(headers, body, secret), byTheLibrary(headers, body, secret)]
  setSystemTime()
  if (verdicts[0] !== verdicts[1]) throw new Error(`The text says ${verdicts[0]}, the library ${verdicts[1]}.`)
  return verdicts[0]!
}

const TOLERANCE_SECONDS = 5 * 60

function byTheText(headers: Record<string, string>, body: string, secret: string): boolean {
  const id = headers['webhook-id']!
  const sentAt = headers['webhook-timestamp']!
  if (Math.abs(Date.now() / 1000 - Number(sentAt)) > TOLERANCE_SECONDS) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${sentAt}.${body}`, 'utf8').digest('base64')
  const versioned = headers['webhook-signature']!.split(' ').map((signature) => signature.split(','))
  return versioned.some(([version, signature]) => version === 'v1' && signature === expected)
}

function byTheLibrary(headers: Record<string, string>, body: string, secret: string): boolean {
  try {
    new Library(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
