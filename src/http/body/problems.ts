import { Problem } from '../../contract/errors'

const MIB = 1024 * 1024
/** The rest of the body will not be read. */
const CLOSE = { Connection: 'close' }

export const tooLarge = (maxBytes: number) =>
  new Problem(
    'payload_too_large',
    `The request body must be at most ${maxBytes} bytes (${sizeName(maxBytes)}).`,
    undefined,
    CLOSE,
  )

const sizeName = (bytes: number) => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`)

export const tooSlow = () =>
  new Problem(
    'request_timeout',
    'The request body took too long to arrive. Nothing was changed; try again over a faster connection.',
    undefined,
    CLOSE,
  )

export const evicted = () =>
  new Problem(
    'unavailable',
    'The server is receiving too many request bodies at once, and gave up on the slowest. Nothing was changed; try again.',
    undefined,
    { ...CLOSE, 'Retry-After': '1' },
  )
