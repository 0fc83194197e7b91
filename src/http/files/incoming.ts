import { Problem } from '../../contract/errors'
import type { IncomingFile } from '../../gate/files/pictures'
import { readMultipart } from './multipart'
import { watchRate } from './rate'

/**
 * The file in a request: its body, or the part `file` of a form. If the operation allows only some types, the file must be the
 * body, and its `Content-Type` one of these types.
 */
export async function receiveFile(request: Request, types?: readonly string[]): Promise<IncomingFile> {
  const header = request.headers.get('content-type') ?? ''
  const type = header.split(';')[0]!.trim().toLowerCase()
  if (types && !types.includes(type))
    throw new Problem(
      'unsupported_media_type',
      `Send the file as the request body, with one of these content types: ${types.join(', ')}.`,
    )
  const body = watchRate(request.body ?? new Blob([]).stream())
  if (type !== 'multipart/form-data') return { name: undefined, type: type || undefined, stream: body }
  const boundary = header.match(/;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i)
  const name = boundary?.[1] ?? boundary?.[2]
  if (!name) throw new Problem('malformed_request', 'The Content-Type multipart/form-data needs a boundary.')
  return readMultipart(body, name)
}
