import { type OperationName, operations } from '../contract'

export interface Endpoint {
  method: string
  path: string
  body: 'json' | 'file' | 'none'
}

/**
 * Method and path of each operation. Evaluated as a macro while bundling, so that browsers load these strings and not
 * the schemas.
 */
export const listEndpoints = (): Record<OperationName, Endpoint> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, { method, path, body, file }]) => [
      name,
      { method, path, body: body ? 'json' : file ? 'file' : 'none' },
    ]),
  ) as Record<OperationName, Endpoint>
