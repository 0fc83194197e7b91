import * as domain from '../domain/passwords'
import { openQueue } from './queue'

/** As many at a time as leave other work its share; hashing takes long, on purpose. */
const inTurn = openQueue(2, 64)

export const hashPassword = (password: string) => inTurn(() => domain.hashPassword(password))

export const isPassword = (password: string, hash: string | undefined) =>
  inTurn(() => domain.isPassword(password, hash))
