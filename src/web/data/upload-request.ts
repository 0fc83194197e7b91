import { ConnectionError } from '../../client/errors'
import { toApiError } from '../../client/send'
import { endpoints } from '../paths'
import type { FileRecord } from './files'
import { sendAuthorized } from './session'

interface Options {
  idempotencyKey: string
  signal: AbortSignal
  onProgress(sentBytes: number): void
}

/** Uploads a file. Not through `fetch`, which does not report progress. */
export async function uploadFile(file: File, options: Options): Promise<FileRecord> {
  const response = await sendAuthorized((token) => send(file, token, options))
  if (!response.ok) throw await toApiError(response)
  return response.json()
}

const send = (file: File, token: string, { idempotencyKey, signal, onProgress }: Options) =>
  new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', endpoints.upload(file.name))
    request.setRequestHeader('Authorization', `Bearer ${token}`)
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    request.setRequestHeader('Idempotency-Key', idempotencyKey)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => resolve(toResponse(request))
    request.onerror = () => reject(new ConnectionError('The connection was lost.'))
    request.onabort = () => reject(new DOMException('Cancelled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })

const toResponse = (request: XMLHttpRequest) =>
  new Response(request.responseText, {
    status: request.status,
    headers: { 'X-Request-Id': request.getResponseHeader('X-Request-Id') ?? '' },
  })
