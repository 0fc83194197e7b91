import type { Server } from 'bun'
import { type ErrorCode, errors, Problem, type ProblemBody } from '../contract/errors'
import { endTurn } from '../domain/fair-queue'
import { readPayload } from '../domain/payloads/payload'
import type { Answer } from '../gate/answer'
import { postByHook } from '../gate/hooks'
import { type Bodies, decodeBody } from './body'
import { handleWithin } from './load-shedding/handle'
import { type HttpContext, respond } from './respond'

type RoutedRequest = Request & { params: Record<string, string> }

const TEXT = 'text/plain; charset=utf-8'

/**
 * `POST /hooks/<secret>`: speaks as Slack's incoming webhooks do. Success is the text `ok`; an error is a word, which is
 * Slack's where it has one, and a sentence for people who read the sender's log.
 */
export const hookRoute = (http: HttpContext) => (request: RoutedRequest, server: Server<undefined>) =>
  handleWithin(http.loadShedding.write, http, request, 'hooks.receive', (limit) =>
    respond(
      http,
      request,
      server,
      'hooks.receive',
      async (parley) => {
        requirePost(request.method)
        const read = () => readText(http, request)
        const posted = await postByHook(parley, {
          secret: request.params.secret!,
          readText: () => (limit ? limit.releaseWhile(read) : read()),
          idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
        })
        const headers: Record<string, string> = posted ? { Location: posted.url } : {}
        return { status: 200, body: 'ok', contentType: TEXT, headers }
      },
      { toAnswer },
    ),
  )

function requirePost(method: string) {
  if (method === 'POST') return
  const detail = `This is the address of an incoming webhook. Use POST, not ${method}.`
  throw new Problem('method_not_allowed', detail, undefined, { Allow: 'POST' })
}

async function readText({ bodies }: { bodies: Bodies }, request: Request) {
  const body = decodeBody(await bodies.read(request))
  const payload = parse(body, request.headers.get('content-type') ?? '')
  await endTurn(body)
  const text = readPayload(payload, (name) => request.headers.get(name))
  await endTurn(body)
  return text
}

/** JSON, with any content type, or a form whose field `payload` is JSON. */
function parse(body: string, contentType: string): unknown {
  const isForm = contentType.toLowerCase().startsWith('application/x-www-form-urlencoded')
  const json = isForm && !body.trimStart().startsWith('{') ? (new URLSearchParams(body).get('payload') ?? '') : body
  try {
    return JSON.parse(json)
  } catch {
    throw new Problem('malformed_json', 'The body is not valid JSON. Send, for example, {"text": "Hello"}.')
  }
}

/** Slack's words for what can go wrong, and its statuses. */
const words: Partial<Record<ErrorCode, { word: string; status?: number }>> = {
  malformed_json: { word: 'invalid_payload' },
  malformed_request: { word: 'invalid_payload' },
  invalid_input: { word: 'no_text', status: 400 },
  unauthenticated: { word: 'no_service', status: 404 },
  forbidden: { word: 'action_prohibited' },
  not_found: { word: 'channel_not_found' },
}

function toAnswer({ code, detail, errors: wrong }: ProblemBody, headers: Record<string, string>): Answer {
  const { word, status } = words[code] ?? { word: code }
  return {
    status: status ?? errors[code].status,
    // A header that is wrong is named; a body without a text is not.
    body: `${wrong ? 'invalid_payload' : word}: ${detail}`,
    contentType: TEXT,
    headers,
  }
}
