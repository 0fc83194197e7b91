import { content } from '../../actions/files'
import type { PreviewSize } from '../../files/previews'
import type { Answer, Call } from '../answer'
import type { Bearer } from '../bearers'
import { validInput } from '../input'
import type { Parley } from '../parley'
import { answerContent } from './content'

/** Answers an operation with the content of a file. */
export async function download(parley: Parley, request: Call, { viewer }: Bearer): Promise<Answer> {
  const raw = { params: request.params, query: request.query, body: undefined }
  const input = validInput(request.name, raw) as { id: string; size?: PreviewSize; download?: boolean }
  const find = () => parley.engine.read((db) => content({ db, viewer }, input))
  return answerContent(parley, find, {
    ...request.content,
    size: input.size,
    isDownload: input.download,
    ifNoneMatch: request.ifNoneMatch,
  })
}
