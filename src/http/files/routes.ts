import type { Server } from 'bun'
import { notFound } from '../../contract/errors'
import { previewNames } from '../../contract/files'
import type { Answer } from '../../gate/call'
import { downloadFile } from '../../gate/files/content'
import { validInput } from '../../gate/input'
import type { Parley } from '../../gate/parley'
import { handleWithin } from '../load-shedding/handle'
import type { ConcurrencyLimit } from '../load-shedding/limit'
import { type HttpContext, respond } from '../respond'
import { sessionOf } from '../session/cookie'
import { findSessionViewer } from '../session/sessions'
import { appPage, isNavigation } from '../web/routes'

type RoutedRequest = Request & { params: Record<string, string> }
type Handler = (request: RoutedRequest, server: Server<undefined>) => Response | Promise<Response>

/** `/files/{id}` and `/files/{id}/{size or download}`: the content of files, for browsers that are signed in. */
export function fileRoutes(http: HttpContext): Record<string, Handler> {
  const handler: Handler = (request, server) =>
    handleWithin(http.loadShedding.read, http, request, 'file', async (limit) => {
      if (isNavigation(request) && !sessionOf(request, http.isSecure)) return appPage(http, request, 401)
      const response = await respond(http, request, server, 'file', (parley) =>
        answerFile(http, parley, request, limit),
      )
      response.headers.delete('Access-Control-Allow-Origin')
      response.headers.delete('Access-Control-Expose-Headers')
      response.headers.set('Vary', 'Cookie')
      return response
    })
  return { '/files/:id': handler, '/files/:id/:form': handler }
}

async function answerFile(
  http: HttpContext,
  parley: Parley,
  request: RoutedRequest,
  limit: ConcurrencyLimit | undefined,
): Promise<Answer> {
  const { form } = request.params as { form?: string }
  const params = { id: request.params.id! }
  const { id } = validInput('files.content', { params, query: undefined, body: undefined }) as typeof params
  const size = previewNames.find((name) => name === form)
  if (form !== undefined && form !== 'download' && !size) throw notFound('file')
  const secret = sessionOf(request, http.isSecure)
  const { headers, method } = request
  return downloadFile(parley, (db) => findSessionViewer(db, secret, parley.clock()), id, {
    size,
    isDownload: form === 'download',
    isHead: method === 'HEAD',
    range: headers.get('range') ?? undefined,
    ifRange: headers.get('if-range') ?? undefined,
    ifNoneMatch: headers.get('if-none-match') ?? undefined,
    releaseWhile: limit?.releaseWhile,
  })
}
