import { errors, type InputError, Problem, type ProblemBody } from '../contract/errors'
import { hideSecrets, type Log } from '../log'

export interface ProblemAnswer {
  status: number
  body: ProblemBody
  headers: Record<string, string>
}

/** An error, as RFC 9457 tells it. What is not a `Problem` is a bug: logged whole, told without a word of it. */
export function toProblem(
  error: unknown,
  at: { base: string; path: string; requestId: string; log: Log },
): ProblemAnswer {
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

/** Someone may have sent a token as the name of a field. */
const withoutSecrets = (error: InputError): InputError => ({
  ...error,
  name: hideSecrets(error.name),
  message: hideSecrets(error.message),
})

function internal(error: unknown, { log, requestId, path }: { log: Log; requestId: string; path: string }): Problem {
  log.error('A bug', {
    request_id: requestId,
    path,
    error: error instanceof Error ? (error.stack ?? String(error)) : String(error),
  })
  return new Problem('internal', `This is a bug. Tell the operator the request id ${requestId}.`)
}
