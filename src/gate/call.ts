import { actionNamed, recalls, sources } from '../actions'
import type { ReadContext } from '../actions/context'
import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'
import { type Operation, type Scope, successStatus } from '../contract/operation'
import { hasScope, roleMay, type Viewer } from '../domain/permissions'
import { catchUp } from '../records/catch-up'
import { Written } from '../records/written'
import type { Bearer } from './bearers'
import { checkAnswer, checkProblem } from './check'
import { type RawInput, validInput } from './input'
import type { Parley } from './parley'
import { write } from './write'

/** What a door hands in. */
export interface Call {
  name: OperationName
  token?: string
  /** The address with its query: part of what an ETag names. */
  url: string
  params: RawInput['params']
  query?: URLSearchParams
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
}

const LONG_TEXT = 8 * 1024
const JSON_TYPE = 'application/json'
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/** The gate all doors enter by: admit → validate → cached? → read, or write in a transaction → announce. */
export async function call(parley: Parley, request: Call): Promise<Answer> {
  return perform(parley, request, await admitted(parley, request))
}

export type Admitted = Awaited<ReturnType<typeof admitted>>

/** What is behind the gate, for someone who was let in. */
export async function perform(parley: Parley, request: Call, { bearer, headers }: Admitted): Promise<Answer> {
  const operation: Operation = operations[request.name]
  try {
    const answer =
      operation.method === 'GET'
        ? await read(parley, request, operation, bearer)
        : await change(parley, request, operation, bearer)
    Object.assign(headers, answer.headers)
    answer.headers = headers
    return answer
  } catch (error) {
    throw told(parley, request.name, error, headers)
  }
}

/** Who asks, once they may; and the headers that tell what is left of their rate. */
export async function admitted(parley: Parley, { name, token }: Call) {
  const headers: Record<string, string> = {}
  try {
    const bearer = await parley.admit(token, parley.clock())
    Object.assign(headers, parley.limits.take(bearer.row.token_key))
    parley.presence.note(bearer.row, parley.clock())
    permit(bearer.viewer, operations[name])
    return { bearer, headers }
  } catch (error) {
    throw told(parley, name, error, headers)
  }
}

/** The error as the caller hears it; in tests, held against the contract. */
function told(parley: Parley, name: OperationName, error: unknown, headers: Record<string, string>): unknown {
  if (parley.checkAnswers) checkProblem(name, error)
  if (!(error instanceof Problem)) return error
  return new Problem(error.code, error.detail, error.errors, { ...headers, ...error.headers })
}

function permit(viewer: Viewer, { access, tokenScope }: Operation) {
  if (access === 'public') return
  const scope = tokenScope ?? access
  if (!hasScope(viewer.scopes, scope))
    throw new Problem('insufficient_scope', `This needs a token with the scope \`${scope}\`.`, undefined, {
      'WWW-Authenticate': `Bearer realm="parley", error="insufficient_scope", scope="${scope}"`,
    })
  if (!roleMay(viewer.role, access)) throw new Problem('forbidden', refusals[access])
}

const refusals: Record<Scope, string> = {
  read: 'You may not read here.',
  write: 'Viewers may read, not write.',
  admin: 'Only admins may do this.',
}

async function read(parley: Parley, request: Call, operation: Operation, bearer: Bearer): Promise<Answer> {
  const source = request.wantsMarkdown ? sources[request.name] : undefined
  const contentType = source ? MARKDOWN_TYPE : JSON_TYPE
  const etag = etagOf(parley, bearer, contentType, request.url)
  if (request.ifNoneMatch && matches(request.ifNoneMatch, etag))
    return { status: 304, body: null, contentType, headers: { ETag: etag } }
  const known = parley.answers.get(etag)
  if (known) return answerOf(known.body, known.link, etag)

  const input = validInput(request.name, { params: request.params, query: request.query, body: undefined })
  const { viewer, revision } = bearer
  const memory = () => parley.memory.asOf(viewer.workspace.key, viewer.author.key, revision)
  const recalled = source ? undefined : recalls[request.name]?.({ viewer, memory: memory() }, input)
  if (recalled) {
    if (parley.checkAnswers) checkAnswer(request.name, recalled)
    return answerOf(recalled.bytes, undefined, etag)
  }

  let isVolatile = operation.volatile ?? false
  const output = await parley.engine.read(async (db) => {
    await catchUp(db, parley.memory, viewer.workspace.key, revision)
    const context: ReadContext = {
      db,
      viewer,
      links: parley.links,
      revision,
      memory: memory(),
      volatile: () => {
        isVolatile = true
      },
    }
    return source ? source(context, input as { id: string }) : actionNamed(request.name)(context, input)
  })
  if (parley.checkAnswers && !source) checkAnswer(request.name, output)

  const body = bodyOf(output)
  const link = pageLinks(parley.links.base + request.url, output instanceof Written ? output.cursors : output)
  if (isVolatile) return answerOf(body, link)
  // A record is remembered by itself. Few ask for the same page far in a list again, and it would push out what many
  // ask for.
  if (!(output instanceof Written && output.isRecord) && !request.query?.has('after'))
    parley.answers.set(etag, { body, link })
  return answerOf(body, link, etag)

  function answerOf(sent: string | Uint8Array<ArrayBuffer>, pages?: string, tag?: string): Answer {
    return {
      status: 200,
      body: sent,
      contentType,
      headers: { ...(tag && { ETag: tag }), ...(pages && { Link: pages }) },
    }
  }
}

/** What is sent. Long text is encoded once, for all who get it again; short text is faster as it is. */
function bodyOf(output: unknown): string | Uint8Array<ArrayBuffer> {
  if (output instanceof Written) return output.bytes
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return text.length > LONG_TEXT ? Buffer.from(text) : text
}

/** Names what is answered: the program, the revision, who asks, in which form, for what. */
function etagOf({ edition }: Parley, { revision, row }: Bearer, contentType: string, url: string): string {
  const what = Bun.hash(`${edition} ${row.workspace_key} ${row.author_key} ${row.scopes} ${contentType} ${url}`)
  return `"${revision.toString(36)}-${what.toString(36)}"`
}

const matches = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch === etag || ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)

/** The neighbouring pages, as RFC 8288 links. */
function pageLinks(address: string, output: unknown): string | undefined {
  const page = output as { next_cursor?: string | null; prev_cursor?: string | null } | null
  if (typeof page !== 'object' || (!page?.next_cursor && !page?.prev_cursor)) return undefined
  const [path, query] = address.split('?')
  const parameters = new URLSearchParams(query)
  parameters.delete('after')
  const others = parameters.size > 0 ? `${parameters}&` : ''
  // A cursor is base64url: it needs no escaping.
  const to = (rel: string, cursor?: string | null) =>
    cursor ? [`<${path}?${others}after=${cursor}>; rel="${rel}"`] : []
  return [...to('next', page.next_cursor), ...to('prev', page.prev_cursor)].join(', ')
}

/** What a request asks for. The order of the fields makes no other request. */
const nameOf = (name: OperationName, input: Record<string, unknown>) =>
  JSON.stringify([
    name,
    ...Object.keys(input)
      .sort()
      .map((field) => [field, input[field]]),
  ])

async function change(parley: Parley, request: Call, operation: Operation, { viewer }: Bearer): Promise<Answer> {
  const body = operation.body || operation.file ? await request.readBody() : undefined
  const input = validInput(request.name, { params: request.params, query: request.query, body })

  const key = operation.method === 'POST' ? request.idempotencyKey : undefined
  const { output, replayed } = await parley.replays(
    viewer,
    key,
    () => nameOf(request.name, input),
    (guard) => write(parley, request.name, viewer, input, guard),
  )
  if (parley.checkAnswers && replayed === undefined) checkAnswer(request.name, output)
  return {
    status: successStatus(operation),
    body: operation.output ? (replayed ?? JSON.stringify(output)) : null,
    contentType: JSON_TYPE,
    headers: replayed === undefined ? {} : { 'Idempotency-Replayed': 'true' },
  }
}
