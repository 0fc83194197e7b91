import { Problem } from '../../contract/errors'
import type { IncomingFile } from '../../gate/files/incoming'
import { openForm, readForm } from './multipart'
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
  const form = type === 'multipart/form-data' ? openForm(header) : undefined
  const body = watchRate(request.body ?? new Blob([]).stream())
  return form ? readForm(form, body) : { name: undefined, type: type || undefined, stream: body }
}
