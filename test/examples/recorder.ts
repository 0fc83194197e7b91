import { type Input, type OperationName, type Output, operations } from '../../src/contract'
import { type Operation, pathParams, successStatus } from '../../src/contract/operation'
import type { OperationExample } from '../../src/http/openapi/examples'

/** What was sent and received, by operation, and the names of the headers of the responses. */
export interface Recording {
  operations: Map<OperationName, OperationExample>
  headers: Map<OperationName, string[]>
}

export interface Recorder {
  recording: Recording
  /** Calls an operation, and keeps the request and the response as its example. */
  record<O extends OperationName>(name: O, input: Input<O>, token?: string): Promise<Output<O>>
}

interface Moments {
  /** Resolves when it is stored that the caller was there. */
  settled(): Promise<void>
  onDone(): void
}

/** Sends requests to a server with a token, and records them. */
export function openRecorder(baseUrl: string, ownToken: string, { settled, onDone }: Moments): Recorder {
  const recording: Recording = { operations: new Map(), headers: new Map() }

  async function record(name: OperationName, input: Record<string, unknown>, token = ownToken): Promise<unknown> {
    if (recording.operations.has(name)) throw new Error(`There is an example of ${name} already.`)
    const operation: Operation = operations[name]
    const { url, init, example } = requestFor(operation, input)
    const headers = { ...init.headers, Authorization: `Bearer ${token}` }
    // When a token was last used is stored some time after the first request of a minute.
    await fetch(`${baseUrl}/v2/me`, { headers })
    await settled()
    const response = await fetch(baseUrl + url, { ...init, headers })
    if (response.status !== successStatus(operation)) throw new Error(`${name}: ${await response.text()}`)
    if (operation.output) example.response = await response.json()
    if (operation.markdown) {
      const source = await fetch(baseUrl + url, { headers: { ...headers, Accept: 'text/markdown' } })
      example.markdown = await source.text()
    }
    recording.operations.set(name, example)
    recording.headers.set(name, [...response.headers.keys()])
    onDone()
    return example.response
  }

  return { recording, record: record as unknown as Recorder['record'] }
}

function requestFor(operation: Operation, input: Record<string, unknown>) {
  const { method, path, query, body, picture, upload } = operation
  const pick = (names: string[]) =>
    Object.fromEntries(names.filter((name) => name in input).map((name) => [name, input[name]]))
  const params = pick(pathParams(path)) as Record<string, string>
  const filters = pick(Object.keys(query?.properties ?? {}))
  const content = pick(Object.keys(body?.properties ?? {}))
  const search = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)])).toString()
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
  const example: OperationExample = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(search && { query: filters }),
    ...(body && { body: content }),
  }
  const init: RequestInit & { headers: Record<string, string> } = {
    method,
    headers: {},
    ...(body && { body: JSON.stringify(content), headers: { 'Content-Type': 'application/json' } }),
    ...((picture ?? upload) && { body: input.file as Blob, headers: { 'Content-Type': (input.file as Blob).type } }),
  }
  return { url: filled + (search && `?${search}`), init, example }
}
