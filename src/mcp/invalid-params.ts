import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'

export const invalidParams = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** A server that says which parameter of a request is wrong, where the library sends the report of its validator. */
export class ReadableServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const handle = super._wrapHandler(method, handler)
    return async (...request: Parameters<typeof handle>) => {
      try {
        return await handle(...request)
      } catch (error) {
        throw describeIssues(method, error) ?? error
      }
    }
  }
}

interface Issue {
  path: (string | number)[]
  message: string
}

const REPORT = /^(?:Invalid tools\/call request: )?(\[\n {2}\{.*\])$/s
const MAX_ISSUES = 5
const MAX_LENGTH = 200

/** The error for a request that its schema does not allow; undefined for any other error. */
function describeIssues(method: string, error: unknown): ProtocolError | undefined {
  const [, report] = (error instanceof Error && REPORT.exec(error.message)) || []
  if (report === undefined) return undefined
  const issues = (JSON.parse(report) as Issue[]).slice(0, MAX_ISSUES).map(({ path, message }) => {
    const text = `${path.join('.')}: ${message.replace(/^Invalid input: /, '')}`
    return text.slice(0, MAX_LENGTH).toWellFormed()
  })
  return invalidParams(`The parameters of ${method} are wrong. ${issues.join('; ')}.`)
}
