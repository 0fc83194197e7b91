import { actionNamed, recalls, sources } from '../actions'
import type { ReadContext } from '../actions/context'
import type { Operation } from '../contract/operation'
import { catchUp } from '../records/catch-up'
import { type Paper, returnPaper } from '../records/paper'
import { Written } from '../records/written'
import type { Bearer } from './bearers'
import type { Answer, Call } from './call'
import { checkAnswer } from './check'
import { validInput } from './input'
import type { Parley } from './parley'

const LONG_TEXT = 8 * 1024
const JSON_TYPE = 'application/json'
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/** The answer of a read: by its ETag, from memory, or from the database. */
export function read(parley: Parley, request: Call, operation: Operation, bearer: Bearer): Answer | Promise<Answer> {
  const source = request.wantsMarkdown ? sources[request.name] : undefined
  const contentType = source ? MARKDOWN_TYPE : JSON_TYPE
  const name = `${bearer.name} ${contentType} ${request.url}`
  const known = parley.answers.get(name)
  const etag = known?.etag ?? etagOf(parley, bearer, name)
  if (request.ifNoneMatch && matches(request.ifNoneMatch, etag))
    return { status: 304, body: null, contentType, headers: { ETag: etag } }
  if (known) return answerOf(known.body, contentType, etag, known.link)

  const input = validInput(request.name, { params: request.params, query: request.query, body: undefined })
  const asked = { input, source, contentType, name, etag }
  const { viewer, position } = bearer
  const recalling = {
    viewer,
    memory: memoryOf(parley, bearer),
    directory: () => parley.directories.present(viewer.workspace.key, position),
  }
  const recalled = source ? undefined : recalls[request.name]?.(recalling, input)
  return recalled ? told(parley, request, asked, recalled) : look(parley, request, operation, bearer, asked)
}

interface Asked {
  input: Record<string, unknown>
  source: (typeof sources)[keyof typeof sources]
  contentType: string
  name: string
  etag: string
}

/** Asks the database. */
async function look(parley: Parley, request: Call, operation: Operation, bearer: Bearer, asked: Asked) {
  const { input, source } = asked
  const { viewer, position } = bearer
  let isVolatile = operation.volatile ?? false
  const output = await parley.engine.read(async (db) => {
    await catchUp(db, parley.memory, viewer.workspace.key, position)
    const context: ReadContext = {
      db,
      viewer,
      links: parley.links,
      now: parley.clock(),
      revision: position.revision,
      memory: memoryOf(parley, bearer),
      directory: () => parley.directories.asOf(db, viewer.workspace.key, position),
      volatile: () => {
        isVolatile = true
      },
    }
    return source
      ? source(context, input as { id: string; post_id: string })
      : actionNamed(request.name)(context, input)
  })
  return told(parley, request, asked, output, isVolatile)
}

/** What was found, as an answer, and remembered where that is of use. */
function told(parley: Parley, request: Call, asked: Asked, output: unknown, isVolatile = false): Answer {
  const { source, contentType, name, etag } = asked
  if (parley.checkAnswers && !source) checkAnswer(request.name, output)
  const isWritten = output instanceof Written
  const link = pageLinks(parley.links.base + request.url, isWritten ? output.cursors : output)
  if (isVolatile) return answerOf(bodyOf(output), contentType, undefined, link)
  // A record is remembered by itself.
  const isKept = !(isWritten && output.isRecord) && parley.answers.isAskedAgain(name)
  if (!isKept)
    return { ...answerOf(bodyOf(output), contentType, etag, link), paper: isWritten ? output.paper : undefined }
  const body = isWritten && output.paper ? offPaper(output.bytes, output.paper) : bodyOf(output)
  parley.answers.set(name, { etag, body, link })
  return answerOf(body, contentType, etag, link)
}

const memoryOf = ({ memory }: Parley, { viewer, position }: Bearer) =>
  memory.asOf(viewer.workspace.key, viewer.author.key, position)

function answerOf(body: string | Uint8Array<ArrayBuffer>, contentType: string, etag?: string, link?: string): Answer {
  const headers: Record<string, string> = {}
  if (etag) headers.ETag = etag
  if (link) headers.Link = link
  return { status: 200, body, contentType, headers }
}

/** What is kept must not stay on paper that others write on. */
function offPaper(bytes: Uint8Array, paper: Paper): Uint8Array<ArrayBuffer> {
  const copy = Buffer.from(bytes)
  returnPaper(paper)
  return copy
}

/** What is sent. Long text is encoded once, for all who get it again; short text is faster as it is. */
function bodyOf(output: unknown): string | Uint8Array<ArrayBuffer> {
  if (output instanceof Written) return output.bytes
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return text.length > LONG_TEXT ? Buffer.from(text) : text
}

/** Tells answers apart: by the program, the revision and its nonce, who asks, in which form, for what. */
const etagOf = ({ etagSeed }: Parley, { position: { revision, nonce } }: Bearer, name: string): string =>
  `"${revision.toString(36)}.${nonce.toString(36)}-${Bun.hash(name, etagSeed).toString(36)}"`

const matches = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch === etag || ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)

/** The neighbouring pages, as RFC 8288 links. */
function pageLinks(address: string, output: unknown): string | undefined {
  const page = output as { next_cursor?: string | null; prev_cursor?: string | null } | null
  if (typeof page !== 'object' || (!page?.next_cursor && !page?.prev_cursor)) return undefined
  const [path, query] = address.split('?')
  const others = query === undefined ? '' : withoutAfter(query)
  // A cursor is base64url: it needs no escaping.
  const to = (rel: string, cursor?: string | null) =>
    cursor ? [`<${path}?${others}after=${cursor}>; rel="${rel}"`] : []
  return [...to('next', page.next_cursor), ...to('prev', page.prev_cursor)].join(', ')
}

/** The other parameters of a query, with what separates them from one more. */
function withoutAfter(query: string): string {
  if (query.startsWith('after=') && !query.includes('&')) return ''
  const parameters = new URLSearchParams(query)
  parameters.delete('after')
  return parameters.size > 0 ? `${parameters}&` : ''
}
