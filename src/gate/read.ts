import { actionNamed, markdownSources } from '../actions'
import type { ReadContext } from '../actions/context'
import type { Operation } from '../contract/operation'
import { JsonText } from '../domain/json-text'
import { seesPublic } from '../domain/permissions'
import type { Reader } from '../store/engines/db'
import { findPositions } from '../store/people/workspaces'
import { type Answer, type Call, JSON_TYPE } from './answer'
import { type Bearer, requireRights } from './bearers'
import { checkOutput } from './check'
import { uncompressedEtag } from './compression'
import { validInput } from './input'
import type { Parley } from './parley'
import type { CachedResponse } from './responses'

const LONG_TEXT = 8 * 1024
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
/** How often a response is read in all, if the workspace changes meanwhile. */
const MAX_READS = 3

/** The answer of a read: by its ETag, from the cache, or from the database. */
export function read(
  parley: Parley,
  request: Call,
  operation: Operation,
  bearer: Bearer,
  readsLeft = MAX_READS,
): Answer | Promise<Answer> {
  const contentType = sourceOf(request) ? MARKDOWN_TYPE : JSON_TYPE
  const audience = audienceOf(operation, bearer, request)
  const key = `${audience} ${contentType} ${request.url}`
  const cached = parley.responses.get(key)
  const etag = cached?.etag ?? etagOf(parley, bearer, key)
  const matched = request.ifNoneMatch && findMatch(request.ifNoneMatch, etag)
  if (matched) return { status: 304, body: null, contentType, headers: { ETag: matched } }
  if (cached) return toAnswer(cached, contentType)
  return readNow()

  async function readNow(): Promise<Answer> {
    const joined = parley.responses.join(key)
    const others = joined && (await joined)
    if (others) return toAnswer(others, contentType)

    const { engine } = parley
    // The last attempt is sent even if something changed meanwhile, so a total and its page have to agree.
    const readFrom = readsLeft > 1 ? engine.read : engine.readSnapshot
    const found = await parley.responses.lead(key, () =>
      operation.costly
        ? findInTurn(parley, request, operation, bearer, etag)
        : findResponse(parley, request, operation, bearer, etag, readFrom),
    )
    if (found.hasRevisionChanged && readsLeft > 1)
      return read(parley, request, operation, await findAgain(parley, request, operation), readsLeft - 1)
    return toAnswer(found.response, contentType)
  }
}

/** Reads the Markdown instead of the record, if the caller prefers it. */
const sourceOf = ({ name, wantsMarkdown }: Call) => (wantsMarkdown ? markdownSources[name] : undefined)

const findAgain = ({ findBearer, clock }: Parley, { token }: Call, { depends }: Operation) =>
  findBearer(token, clock(), depends === 'personal')

/** Who gets the same response, and until when: everyone who sees the same, or this caller alone. */
function audienceOf({ depends = 'nothing', perCaller }: Operation, { keys, viewer }: Bearer, { query = '' }: Call) {
  if (depends === 'nothing') return keys.caller
  const isAboutCaller =
    perCaller &&
    ((perCaller.guests && !seesPublic(viewer)) || perCaller.query?.some((parameter) => mayHave(query, parameter)))
  return isAboutCaller ? keys.caller : keys[depends]
}

/** Whether a query may have this parameter: its name can be escaped. */
const mayHave = (query: string, parameter: string) => query.includes(parameter) || query.includes('%')

/** Reads a response once it is the caller's turn. Until then they may have lost a right, or the token. */
function findInTurn(parley: Parley, request: Call, operation: Operation, bearer: Bearer, etag: string) {
  const find = async (readFrom: ReadFrom) => {
    const caller = await findAgain(parley, request, operation)
    requireRights(caller.viewer, operation)
    const isSame = audienceOf(operation, caller, request) === audienceOf(operation, bearer, request)
    const found = await findResponse(parley, request, operation, caller, isSame ? etag : '', readFrom)
    return { ...found, isCacheable: found.isCacheable && isSame }
  }
  const waitAndFind = () => parley.costlyReads(bearer.viewer.author.key, find)
  return request.releaseWhile ? request.releaseWhile(waitAndFind) : waitAndFind()
}

type ReadFrom = <T>(work: (db: Reader) => Promise<T>) => Promise<T>

/** Reads a response from the database. It may be cached unless it is volatile, or the workspace changed meanwhile. */
async function findResponse(
  parley: Parley,
  request: Call,
  operation: Operation,
  bearer: Bearer,
  etag: string,
  readFrom: ReadFrom,
) {
  const { viewer, content } = bearer
  const input = validInput(request.name, { params: request.params, query: request.query, body: undefined })
  const source = sourceOf(request)
  let isVolatile = operation.depends === 'nothing'
  let hasRevisionChanged = false
  const output = await readFrom((db) => {
    const context: ReadContext = {
      db,
      viewer,
      links: parley.links,
      now: parley.clock(),
      isMailConfigured: parley.isMailConfigured ?? false,
      fileLimits: parley.files.limits,
      vault: parley.vault,
      revision: content.revision,
      searchBudget: parley.searchBudget,
      volatile: () => {
        isVolatile = true
      },
      onRevisionChanged: () => {
        hasRevisionChanged = true
      },
    }
    return source
      ? source(context, input as { id: string; post_id: string })
      : actionNamed(request.name)(context, input)
  })
  if (parley.checkAnswers && !source) checkOutput(request.name, output)
  const isCacheable = !isVolatile && !hasRevisionChanged
  const response: CachedResponse = {
    etag: isCacheable ? etag : '',
    body: bodyOf(output),
    link: pageLinks(parley.links.base + request.url, output),
    compressed: isCacheable ? new Map() : undefined,
  }
  // Whoever reads it may have got a right since they asked, which others who asked with them do not have.
  const isStillValid = async () =>
    (await parley.engine.read((db) => findPositions(db, [viewer.workspace.key]))).get(viewer.workspace.key)
      ?.content_revision === content.revision
  return {
    response,
    isCacheable,
    hasRevisionChanged,
    isStillValid: operation.depends === 'content' ? isStillValid : undefined,
  }
}

function toAnswer({ body, etag, link, compressed }: CachedResponse, contentType: string): Answer {
  const headers: Record<string, string> = {}
  if (etag) headers.ETag = etag
  if (link) headers.Link = link
  return { status: 200, body, contentType, headers, compressed }
}

/** What is sent. Long text is encoded once, for all who get it again; short text is faster as it is. */
function bodyOf(output: unknown): string | Uint8Array<ArrayBuffer> {
  const text = output instanceof JsonText ? output.text : typeof output === 'string' ? output : JSON.stringify(output)
  if (typeof text !== 'string') return text
  return text.length > LONG_TEXT ? Buffer.from(text) : text
}

/** Tells answers apart: by the program, the revision and its nonce, who asks, in which form, for what. */
const etagOf = ({ etagSeed }: Parley, { content: { revision, nonce } }: Bearer, key: string): string =>
  `"${revision.toString(36)}.${nonce.toString(36)}-${Bun.hash(key, etagSeed).toString(36)}"`

/** The client's ETag that matches this response, compressed or not. */
const findMatch = (ifNoneMatch: string, etag: string): string | undefined =>
  ifNoneMatch === etag
    ? etag
    : ifNoneMatch
        .split(',')
        .map((candidate) => candidate.trim().replace(/^W\//, ''))
        .find((candidate) => uncompressedEtag(candidate) === etag)

/** The neighbouring pages, as RFC 8288 links. */
function pageLinks(address: string, output: unknown): string | undefined {
  const page = (output instanceof JsonText ? output.cursors : output) as {
    next_cursor?: string | null
    prev_cursor?: string | null
  } | null
  if (typeof page !== 'object' || (!page?.next_cursor && !page?.prev_cursor)) return undefined
  const mark = address.indexOf('?')
  const path = mark < 0 ? address : address.slice(0, mark)
  const others = mark < 0 ? '' : withoutStart(address.slice(mark + 1))
  // A cursor is base64url: it needs no escaping.
  const to = (rel: string, cursor?: string | null) =>
    cursor ? [`<${path}?${others}after=${cursor}>; rel="${rel}"`] : []
  const links = [...to('next', page.next_cursor), ...to('prev', page.prev_cursor)].join(', ')
  return links.length > MAX_LINKS ? undefined : links
}

/** By default, nginx answers 502 if the headers of a response take more than 4 KB. The cursors are in the page as well. */
const MAX_LINKS = 3_000

/** The parameters of a query that do not say where the page starts, with what separates them from one more. */
function withoutStart(query: string): string {
  if (query.startsWith('after=') && !query.includes('&')) return ''
  const parameters = new URLSearchParams(query)
  parameters.delete('after')
  parameters.delete('around')
  return parameters.size > 0 ? `${parameters}&` : ''
}
