import { ApiError, ConnectionError, classes, ParleyError, ServerError } from './errors'

/** Does something in the network. If it fails, it fails as a ConnectionError. */
export async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ParleyError) throw error
    // Node says why in the cause.
    const { message, code } = ((error as Error).cause ?? error) as { message?: string; code?: string }
    throw new ConnectionError(`The server could not be reached: ${message || code}`, { cause: error })
  }
}

export const readText = (response: Response) => reach(() => response.text())

/** The error that a response stands for. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const Class = classes[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Class(status, headers, await readText(response))
}
