import { DeliveryError } from './delivery-error'

/** A generator that receives the bytes of a connection as they arrive; `undefined` is the end. */
export type Reading<T> = Generator<void, T, Uint8Array | undefined>

/** Bytes that have arrived and were not read yet. */
export interface Incoming {
  bytes: Buffer
}

/** Reads a line, including its end; throws if it is longer than `maxBytes`. */
export function* readLine(incoming: Incoming, maxBytes: number, tooLong: DeliveryError): Reading<string> {
  let end = incoming.bytes.indexOf(10)
  while (end === -1 && incoming.bytes.length < maxBytes) {
    if (!(yield* readMore(incoming))) throw cutShort()
    end = incoming.bytes.indexOf(10)
  }
  if (end === -1 || end >= maxBytes) throw tooLong
  return take(incoming, end + 1).toString('latin1')
}

export function* readExactly(incoming: Incoming, length: number): Reading<Buffer> {
  const bytes = yield* readUpTo(incoming, length)
  if (bytes.length < length) throw cutShort()
  return bytes
}

/** Reads up to `maxBytes`; fewer only if the connection ends. */
export function* readUpTo(incoming: Incoming, maxBytes: number): Reading<Buffer> {
  const parts = [incoming.bytes]
  let length = incoming.bytes.length
  while (length < maxBytes) {
    const chunk = yield
    if (!chunk) break
    parts.push(Buffer.from(chunk))
    length += chunk.length
  }
  // Copied once, however many packets there are.
  incoming.bytes = Buffer.concat(parts)
  return take(incoming, maxBytes)
}

function* readMore(incoming: Incoming): Reading<boolean> {
  const chunk = yield
  if (chunk) incoming.bytes = Buffer.concat([incoming.bytes, chunk])
  return chunk !== undefined
}

function take(incoming: Incoming, maxBytes: number): Buffer {
  const bytes = incoming.bytes.subarray(0, maxBytes)
  incoming.bytes = incoming.bytes.subarray(maxBytes)
  return bytes
}

const cutShort = () => new DeliveryError('connection', 'The connection was closed before the response was complete.')
