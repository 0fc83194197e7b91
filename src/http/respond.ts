import type { Server } from 'bun'
import { errors, type InputError, Problem, type ProblemBody } from '../contract/errors'
import type { Answer } from '../gate/call'
import type { Parley } from '../gate/parley'
import { hideSecrets, type Log } from '../log'
import type { Networks } from '../networks'
import type { Bodies } from './body'
import { type AnonymousLimits, clientAddress } from './limits'
import type { LoadShedding } from './load-shedding/limit'
import { type LargeResponses, toResponse } from './to-response'

/** What the entry point for agents needs of a request. */
export interface AgentRequest {
  request: Request
  token: string | undefined
  idempotencyKey?: string
  /** Called only once the caller is admitted. */
  readBody: () => Promise<unknown>
  releaseWhile: <T>(work: () => Promise<T>) => Promise<T>
}

/** What the HTTP server needs to handle requests. */
export interface HttpContext {
  parley: Parley
  proxies: Networks
  /** Whether the service is reached over TLS. */
  isSecure: boolean
  loadShedding: LoadShedding
  bodies: Bodies
  largeResponses: LargeResponses
  anonymousLimits: AnonymousLimits
  /** The private networks that images may come from; undefined if images of other servers are not loaded through this one. */
  imageProxy: { allowed: Networks } | undefined
  /** Answers a request to `/mcp`. */
  answerAgent(request: AgentRequest): Promise<Answer>
  /** Counts a response, and the time it took. */
  meter(operation: string, status: number, seconds?: number): void
  /** The token for /metrics from other machines, if the operator set one. */
  metricsToken: string | undefined
  /** The metrics of all processes, as text. */
  collectMetrics(): Promise<string>
}

/** What is different for requests that are not of the API. */
interface RespondOptions {
  /** The answer for a problem. Default: `application/problem+json`. */
  toAnswer?: (problem: ProblemBody, headers: Record<string, string>) => Answer
}

/**
 * Handles one request and never throws: every error becomes a problem, every request a log line. Synchronous if `handle`
 * is: awaiting a response that is there already would cost more than making it.
 */
export function respond(
  http: HttpContext,
  request: Request,
  server: Server<undefined>,
  name: string,
  handle: (parley: Parley) => Answer | Promise<Answer>,
  options: RespondOptions = {},
): Response | Promise<Response> {
  const { parley, isSecure, largeResponses } = http
  const started = performance.now()
  const requestId = parley.newId('req', parley.clock())
  const isImmediate = parley.engine.kind === 'sqlite'

  const send = (answer: Answer, code?: string): Response => {
    const seconds = (performance.now() - started) / 1000
    http.meter(name, answer.status, seconds)
    if (parley.log.isEnabled('info'))
      parley.log.info('request', {
        request_id: requestId,
        method: request.method,
        path: shownPathOf(request.url),
        operation: name,
        status: answer.status,
        ...(code && { code }),
        ms: Math.round(seconds * 100_000) / 100,
        ip: addressOf(http, request, server),
      })
    return toResponse(answer, { requestId, method: request.method, isImmediate, isSecure, largeResponses })
  }
  const fail = (error: unknown): Response => {
    const path = shownPathOf(request.url)
    const problem = toProblem(limitAnonymous(error), { base: parley.links.base, path, requestId, log: parley.log })
    const { status, body, headers } = problem
    if (options.toAnswer) return send(options.toAnswer(body, headers), body.code)
    return send({ status, body: JSON.stringify(body), contentType: 'application/problem+json', headers }, body.code)
  }

  /** Only requests without a valid token are limited by address: many people may share one. */
  const limitAnonymous = (error: unknown): unknown =>
    error instanceof Problem && error.code === 'unauthenticated'
      ? (http.anonymousLimits.countRefusal(addressOf(http, request, server)) ?? error)
      : error

  let answer: Answer | Promise<Answer>
  try {
    answer = handle(parley)
  } catch (error) {
    return fail(error)
  }
  return answer instanceof Promise ? answer.then((result) => send(result), fail) : send(answer)
}

/** The address a request came from, according to trusted proxies. */
export const addressOf = ({ proxies }: HttpContext, request: Request, server: Server<undefined>): string =>
  clientAddress(server.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for'), proxies)

/** The path and the query. If the Host header is invalid, Bun gives nothing else. */
export function targetOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', 8)
  return start < 0 ? '/' : url.slice(start)
}

export const pathOf = (url: string): string => targetOf(url).split('?', 1)[0]!

/** Longer paths are cut in logs and responses; the paths of the API are much shorter. */
const MAX_SHOWN = 1_000

/** The path as logs and responses show it: not too long, and without secrets, which follow `/hooks/` and `/unsubscribe/`, however they are written. */
export function shownPathOf(url: string): string {
  const path = hideSecretsOf(url)
  return path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path
}

function hideSecretsOf(url: string): string {
  const path = pathOf(url)
  const plain = decodeAscii(path)
  const [, secretPath] = /^\/+(hooks|unsubscribe)\//i.exec(plain) ?? []
  if (secretPath) return `/${secretPath.toLowerCase()}/…`
  const hidden = hideSecrets(plain)
  return hidden === plain ? path : hidden
}

const MAX_ENCODINGS = 3

/** A path without percent-encoded ASCII characters, even if it was encoded again. Other bytes need not be valid, and stay. */
function decodeAscii(path: string): string {
  let text = path
  for (let times = 0; times < MAX_ENCODINGS && text.includes('%'); times++)
    text = text.replace(/%([2-7][\da-f])/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
  return text
}

export interface ProblemAnswer {
  status: number
  body: ProblemBody
  headers: Record<string, string>
}

/** Translates an error to RFC 9457. Anything but a `Problem` is a bug: it is logged, and its details are not sent. */
function toProblem(error: unknown, at: { base: string; path: string; requestId: string; log: Log }): ProblemAnswer {
  const problem = error instanceof Problem ? error : internal(error, at)
  const { status, title } = errors[problem.code]
  return {
    status,
    headers: problem.headers ?? {},
    body: {
      type: `${at.base}/docs/errors#${problem.code}`,
      title,
      status,
      detail: hideSecrets(problem.detail),
      instance: hideSecrets(at.path),
      code: problem.code,
      request_id: at.requestId,
      ...(problem.errors && { errors: problem.errors.map(withoutSecrets) }),
      ...(problem.resumeAfter && { resume_after: problem.resumeAfter }),
    },
  }
}

/** A client may have sent a token as the name of a field. */
const withoutSecrets = (error: InputError): InputError => ({
  ...error,
  name: hideSecrets(error.name),
  message: hideSecrets(error.message),
})

function internal(error: unknown, { log, requestId, path }: { log: Log; requestId: string; path: string }): Problem {
  log.error('Unexpected error', {
    request_id: requestId,
    path,
    error: error instanceof Error ? (error.stack ?? String(error)) : String(error),
  })
  return new Problem(
    'internal',
    `Something went wrong on our side. If it happens again, give the operator the request id ${requestId}.`,
  )
}
