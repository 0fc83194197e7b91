import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'
import { type Operation, successStatus } from '../contract/operation'
import type { Paper } from '../records/paper'
import type { Bearer } from './bearers'
import { checkAnswer, checkProblem } from './check'
import { type RawInput, validInput } from './input'
import type { Parley } from './parley'
import { read } from './read'
import { requireRights } from './rights'
import { write } from './write'

/** What a door hands in. */
export interface Call {
  name: OperationName
  token?: string
  /** The address with its query: part of what an ETag names. */
  url: string
  params: RawInput['params']
  /** The address after the question mark. */
  query?: string
  /** Read only once the caller is admitted. */
  readBody: () => Promise<unknown>
  wantsMarkdown?: boolean
  ifNoneMatch?: string
  idempotencyKey?: string
}

export interface Answer {
  status: number
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  contentType: string
  headers: Record<string, string>
  /** What the body is written on: to be returned once it was copied. */
  paper?: Paper
}

const JSON_TYPE = 'application/json'

/**
 * The gate all doors enter by: admit → validate → cached? → read, or write in a transaction → announce. What is known
 * already is answered at once, without a promise.
 */
export function call(parley: Parley, request: Call): Answer | Promise<Answer> {
  const entered = admitted(parley, request)
  return entered instanceof Promise
    ? entered.then((admittance) => perform(parley, request, admittance))
    : perform(parley, request, entered)
}

/** Who asks, once they may; and the headers that tell what is left of their rate. */
export interface Admitted {
  bearer: Bearer
  headers: Record<string, string>
}

/** What is behind the gate, for someone who was let in. */
export function perform(parley: Parley, request: Call, { bearer, headers }: Admitted): Answer | Promise<Answer> {
  const operation: Operation = operations[request.name]
  const finish = (answer: Answer): Answer => {
    Object.assign(headers, answer.headers)
    answer.headers = headers
    return answer
  }
  const fail = (error: unknown): never => {
    throw told(parley, request.name, error, headers)
  }
  let answer: Answer | Promise<Answer>
  try {
    answer =
      operation.method === 'GET' ? read(parley, request, operation, bearer) : change(parley, request, operation, bearer)
  } catch (error) {
    return fail(error)
  }
  return answer instanceof Promise ? answer.then(finish, fail) : finish(answer)
}

export function admitted(parley: Parley, { name, token }: Call): Admitted | Promise<Admitted> {
  let headers: Record<string, string> = {}
  const now = parley.clock()
  const fail = (error: unknown): never => {
    throw told(parley, name, error, headers)
  }
  const letIn = (bearer: Bearer): Admitted => {
    headers = parley.limits.take(bearer.row.token_key)
    parley.presence.record(bearer.row, now)
    requireRights(bearer.viewer, operations[name])
    return { bearer, headers }
  }
  try {
    const bearer = parley.admit(token, now)
    return bearer instanceof Promise ? bearer.then(letIn).catch(fail) : letIn(bearer)
  } catch (error) {
    return fail(error)
  }
}

/** The error as the caller hears it; in tests, held against the contract. */
function told(parley: Parley, name: OperationName, error: unknown, headers: Record<string, string>): unknown {
  if (parley.checkAnswers) checkProblem(name, error)
  if (!(error instanceof Problem)) return error
  return new Problem(error.code, error.detail, error.errors, { ...headers, ...error.headers }, error.resumeAfter)
}

/** What a request asks for. The order of the fields makes no other request. */
const nameOf = (name: OperationName, input: Record<string, unknown>) =>
  JSON.stringify([
    name,
    ...Object.keys(input)
      .sort()
      .map((field) => [field, input[field]]),
  ])

async function change(parley: Parley, request: Call, operation: Operation, bearer: Bearer): Promise<Answer> {
  const body = operation.body || operation.file ? await request.readBody() : undefined
  const input = validInput(request.name, { params: request.params, query: request.query, body })

  const key = operation.method === 'POST' ? request.idempotencyKey : undefined
  const { output, replayed } = await parley.replays(
    bearer.viewer,
    request.name,
    key,
    () => nameOf(request.name, input),
    (guard) => write(parley, request.name, bearer, input, guard),
  )
  if (parley.checkAnswers && replayed === undefined) checkAnswer(request.name, output)
  return {
    status: successStatus(operation),
    body: operation.output ? (replayed ?? JSON.stringify(output)) : null,
    contentType: JSON_TYPE,
    headers: replayed === undefined ? {} : { 'Idempotency-Replayed': 'true' },
  }
}
