import { DeliveryError } from './delivery-error'

/** A computation that is given the bytes of a connection as they come; `undefined` is the end of them. */
export type Reading<T> = Generator<void, T, Uint8Array | undefined>

/** What has come and is not read yet. */
export interface Incoming {
  bytes: Buffer
}

/** A line with its end, or an error if it is longer than so many bytes. */
export function* readLine(incoming: Incoming, most: number, tooLong: DeliveryError): Reading<string> {
  let end = incoming.bytes.indexOf(10)
  while (end === -1 && incoming.bytes.length < most) {
    if (!(yield* readMore(incoming))) throw cutShort()
    end = incoming.bytes.indexOf(10)
  }
  if (end === -1 || end >= most) throw tooLong
  return take(incoming, end + 1).toString('latin1')
}

export function* readExactly(incoming: Incoming, length: number): Reading<Buffer> {
  const bytes = yield* readUpTo(incoming, length)
  if (bytes.length < length) throw cutShort()
  return bytes
}

/** So many bytes, or fewer if the connection ends. */
export function* readUpTo(incoming: Incoming, most: number): Reading<Buffer> {
  let isOpen = true
  while (isOpen && incoming.bytes.length < most) isOpen = yield* readMore(incoming)
  return take(incoming, most)
}

function* readMore(incoming: Incoming): Reading<boolean> {
  const chunk = yield
  if (chunk) incoming.bytes = Buffer.concat([incoming.bytes, chunk])
  return chunk !== undefined
}

function take(incoming: Incoming, most: number): Buffer {
  const bytes = incoming.bytes.subarray(0, most)
  incoming.bytes = incoming.bytes.subarray(most)
  return bytes
}

const cutShort = () => new DeliveryError('connection', 'The connection was closed before the answer was complete.')
