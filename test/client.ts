import { Parley, type ParleyOptions } from '../src/client'

export { ApiError } from '../src/client'
export type Client = Parley

/** A client that sends every request once, so that a test sees each response. */
export const createClient = (options: ParleyOptions): Client => new Parley({ retries: 0, ...options })
