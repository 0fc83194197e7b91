import { expect } from 'bun:test'
import { connect } from 'node:net'
import { type ErrorCode, errors, type ProblemBody } from '../../src/contract/errors'

/** Holds an error against everything an error promises, and gives its body. */
export async function problem(response: Response, code: ErrorCode): Promise<ProblemBody> {
  const { status, title } = errors[code]
  const body = (await response.json()) as ProblemBody
  const { origin, pathname } = new URL(response.url)
  expect(body).toEqual({
    type: `${origin}/docs/errors#${code}`,
    title,
    status,
    detail: expect.stringMatching(/\S/),
    instance: pathname,
    code,
    request_id: expect.stringMatching(/^req_\w{26}$/),
    ...(body.errors && { errors: expect.any(Array) }),
  })
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('x-request-id')).toBe(body.request_id)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('etag')).toBeNull()
  if (status === 422) expect(body.errors?.length).toBeGreaterThan(0)
  return body
}

/** What goes with a JSON body. */
export const json = (body: unknown, headers: Record<string, string> = {}, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** The headers of a response, without the ones that differ each time. */
export function lasting(response: Response): Record<string, string> {
  const headers = Object.fromEntries(response.headers)
  for (const name of ['date', 'x-request-id', 'ratelimit', 'content-length', 'transfer-encoding']) delete headers[name]
  return headers
}

/** What a server says to bytes that no HTTP client would send. */
export function overSocket(baseUrl: string, ...pieces: (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await Bun.sleep(20)
      }
    })
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error) => (answer ? resolve(answer) : reject(error)))
    // Some answers leave the connection open.
    socket.setTimeout(3_000, () => answer && socket.destroy())
  })
}
