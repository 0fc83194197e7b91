import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'
import type { Operation } from '../contract/operation'
import type { Answer, Call } from './answer'
import { type Bearer, requireRights } from './bearers'
import { checkProblem } from './check'
import { compress } from './compression'
import { download } from './files/content'
import { upload } from './files/upload'
import { validInput } from './input'
import type { Parley } from './parley'
import { read } from './read'
import { answerWrite, write } from './write'

export type { Answer, Call } from './answer'

/**
 * The gate all entry points go through. Reads: admit → ETag or cache → validate → read. Writes: admit → validate → write in a
 * transaction → notify. Returns the answer itself if the caller and the response are cached: a promise would cost more than
 * all the rest.
 */
export function call(parley: Parley, request: Call): Answer | Promise<Answer> {
  const admitted = admit(parley, request)
  return admitted instanceof Promise
    ? admitted.then((caller) => perform(parley, request, caller))
    : perform(parley, request, admitted)
}

/** An admitted caller, and the rate-limit headers of the response. */
export interface Admitted {
  bearer: Bearer
  headers: Record<string, string>
}

export function admit(parley: Parley, { name, token }: Pick<Call, 'name' | 'token'>): Admitted | Promise<Admitted> {
  const now = parley.clock()
  const headers: Record<string, string> = {}
  const enter = (bearer: Bearer): Admitted => {
    Object.assign(headers, parley.limits.take(bearer.row.token_key))
    parley.presence.record(bearer.row, now)
    requireRights(bearer.viewer, operations[name])
    return { bearer, headers }
  }
  return withErrorHeaders(parley, name, headers, () => {
    const bearer = parley.findBearer(token, now, operations[name].depends === 'personal')
    return bearer instanceof Promise ? bearer.then(enter) : enter(bearer)
  })
}

/** Does what an admitted caller asks for. */
export function perform(parley: Parley, request: Call, { bearer, headers }: Admitted): Answer | Promise<Answer> {
  const operation: Operation = operations[request.name]
  const finish = (answer: Answer): Answer | Promise<Answer> => {
    Object.assign(answer.headers, headers)
    // A file may be larger than the memory, and most file formats are compressed already.
    return operation.download ? answer : compress(answer, request.acceptEncoding)
  }
  return withErrorHeaders(parley, request.name, headers, () => {
    const answer = answerOperation(parley, request, operation, bearer)
    return answer instanceof Promise ? answer.then(finish) : finish(answer)
  })
}

function answerOperation(parley: Parley, request: Call, operation: Operation, bearer: Bearer) {
  if (operation.upload || operation.picture) return upload(parley, request, operation, bearer)
  if (operation.download) return download(parley, request, bearer)
  return operation.method === 'GET'
    ? read(parley, request, operation, bearer)
    : change(parley, request, operation, bearer)
}

/** Runs `work`, and adds the headers to any problem it throws. They may still be filled while it runs. */
function withErrorHeaders<T>(
  parley: Parley,
  name: OperationName,
  headers: Record<string, string>,
  work: () => T | Promise<T>,
): T | Promise<T> {
  const fail = (error: unknown): never => {
    throw toCallerError(parley, name, error, headers)
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(fail) : result
  } catch (error) {
    return fail(error)
  }
}

/** An error with the headers its caller gets; in tests, held against the contract. */
function toCallerError(parley: Parley, name: OperationName, error: unknown, headers: Record<string, string>): unknown {
  if (parley.checkAnswers) checkProblem(name, error)
  if (!(error instanceof Problem)) return error
  return new Problem(error.code, error.detail, error.errors, { ...headers, ...error.headers }, error.resumeAfter)
}

async function change(parley: Parley, request: Call, operation: Operation, bearer: Bearer): Promise<Answer> {
  const body = operation.body ? await request.readBody() : undefined
  const input = validInput(request.name, { params: request.params, query: request.query, body })
  return answerWrite(
    parley,
    request,
    bearer,
    () => input,
    (guard) => write(parley, request.name, bearer, input, { guard, via: request.via }),
  )
}
