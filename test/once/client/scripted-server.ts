import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Parley, type ParleyOptions } from '../../../src/client'
import { type ErrorCode, errors } from '../../../src/contract/errors'

export interface Asked {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
  at: number
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: string | object
  /** What happens instead of the rest: the connection ends before the response or in its body, or nothing comes any more. */
  after?: 'ends' | 'cut' | 'silence'
}

/** The problem that the server sends with this code. */
export const problem = (code: ErrorCode, headers: Record<string, string> = {}): Answer => ({
  status: errors[code].status,
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  body: { code, detail: `About ${code}.`, request_id: 'req_1', title: '', type: '', status: 0, instance: '' },
})

/** A server that gives these answers in turn, and the last one for ever; and a client of it. */
export async function openScriptedServer(answers: Answer[], options: Partial<ParleyOptions> = {}) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let sent = ''
    for await (const chunk of request) sent += chunk
    const { method, url, headers } = request as { method: string; url: string; headers: Asked['headers'] }
    asked.push({ method, url, headers, body: sent, at: performance.now() })
    const { status = 200, headers: given, body = '', after } = answers[Math.min(asked.length, answers.length) - 1]!
    if (after === 'ends') return request.socket.destroy()
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const length = after ? text.length + 1 : text.length
    response.writeHead(status, { 'content-length': length, connection: 'close', ...given })
    if (after === 'silence') return response.write(text)
    if (after === 'cut') return response.write(text, () => request.socket.destroy())
    return response.end(text)
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    asked,
    baseUrl,
    client: new Parley({ baseUrl, token: 'parley_x', ...options }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The error that a call ends with. */
export const errorOf = async (call: Promise<unknown>): Promise<Error & Record<string, unknown>> => {
  try {
    await call
  } catch (error) {
    return error as Error & Record<string, unknown>
  }
  throw new Error('It did not fail.')
}
