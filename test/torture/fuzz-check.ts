import { Compile } from 'typebox/compile'
import { type ErrorCode, errors, ProblemBody } from '../../src/contract/errors'
import type { Fuzzed } from './fuzz-requests'
import type { RawResponse } from './fuzz-wire'

const isProblem = Compile(ProblemBody)
const LEAKS =
  /SQLITE_|syntax error|node_modules|\n\s+at |\/src\/|violates|constraint|ECONN|undefined is not|null is not/

/** How a response violates the contract; undefined if it does not. */
export function findViolation(request: Fuzzed, response: RawResponse): string | undefined {
  const { status } = response
  if (status >= 500) return `${status} is a bug`
  // Refused before the whole head was read.
  if (status === 431 && request.isTooLong && response.body === '') return undefined
  if (request.matchesOperation && request.isInvalid && status < 400)
    return 'The document does not allow it, the server does'
  if (status >= 400) return findProblemViolation(request, response)
  return request.matchesOperation ? findSuccessViolation(request, response) : undefined
}

function findProblemViolation(
  { operation, matchesOperation, isBodyless, method }: Fuzzed,
  { status, headers, body }: RawResponse,
) {
  if (headers.get('content-type') !== 'application/problem+json') return 'The error is no problem'
  if (!/^req_\w{26}$/.test(headers.get('x-request-id') ?? '')) return 'There is no request id'
  if (status === 401 && !headers.get('www-authenticate')?.startsWith('Bearer')) return '401 without WWW-Authenticate'
  if (status === 405 && !headers.get('allow')) return '405 without Allow'
  if (isBodyless) return undefined

  const problem = parsed(body)
  if (!isProblem.Check(problem)) return 'The problem has another shape'
  if (problem.status !== status || errors[problem.code as ErrorCode].status !== status) return 'Two statuses'
  if (problem.request_id !== headers.get('x-request-id')) return 'Two request ids'
  if (LEAKS.test(problem.detail)) return 'It leaks internals'
  if (status === 422 && !problem.errors?.length) return '422 without saying what is wrong'
  if (!matchesOperation || method === 'OPTIONS') return undefined
  const promised = operation.responses.get(status)
  if (!promised?.description.includes(`\`${problem.code}\``)) return `${status} ${problem.code} is not in the document`
}

function findSuccessViolation({ operation }: Fuzzed, { status, headers, body }: RawResponse) {
  const promised = operation.responses.get(status)
  if (!promised) return `${status} is not in the document`
  if (!/^req_\w{26}$/.test(headers.get('x-request-id') ?? '')) return 'There is no request id'
  if (status === 304 || headers.get('content-type') === 'text/event-stream') return undefined
  const type = headers.get('content-type')?.split(';')[0]
  // The content of a file, of any type.
  if (promised.bodies.has('*/*')) return undefined
  if (promised.bodies.size === 0) return body === '' && type === undefined ? undefined : 'It says something'
  const validator = promised.bodies.get(type ?? '')
  if (!validator) return `The content type ${type} is not in the document`
  const value = type === 'application/json' ? parsed(body) : body
  if (!validator.Check(value))
    return `The body is not as the document says: ${JSON.stringify(validator.Errors(value).slice(0, 2))}`
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
