import { type OperationName, operations } from '../contract'

export interface Address {
  method: string
  path: string
  body: 'json' | 'file' | 'none'
}

/**
 * Where each operation is. Called while the client is bundled, as a macro: what a browser loads are these few strings,
 * not the schemas they come from.
 */
export const addresses = (): Record<OperationName, Address> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, { method, path, body, file }]) => [
      name,
      { method, path, body: body ? 'json' : file ? 'file' : 'none' },
    ]),
  ) as Record<OperationName, Address>
