import { errors, type InputError, Problem, type ProblemBody } from '../contract/errors'
import { hideSecrets, type Log } from '../log'

export interface ProblemAnswer {
  status: number
  body: ProblemBody
  headers: Record<string, string>
}

/** Translates an error to RFC 9457. Anything but a `Problem` is a bug: it is logged, and its details are not sent. */
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
