import { content } from '../../actions/files'
import type { PreviewSize } from '../../contract/files'
import type { Viewer } from '../../domain/permissions'
import type { Reader } from '../../store/db'
import type { Answer, Call, ContentRequest } from '../answer'
import type { Bearer } from '../bearers'
import { validInput } from '../input'
import type { Parley } from '../parley'
import { answerContent } from './content'

/** Answers an operation with the content of a file. */
export async function download(parley: Parley, request: Call, { viewer }: Bearer): Promise<Answer> {
  const raw = { params: request.params, query: request.query, body: undefined }
  const input = validInput(request.name, raw) as { id: string; size?: PreviewSize; download?: boolean }
  return downloadFile(parley, async () => viewer, input.id, {
    ...request.content,
    size: input.size,
    isDownload: input.download,
    ifNoneMatch: request.ifNoneMatch,
  })
}

/** Answers with the content of a file that the viewer can see. */
export function downloadFile(
  parley: Parley,
  findViewer: (db: Reader) => Promise<Viewer>,
  id: string,
  request: ContentRequest,
): Promise<Answer> {
  const find = () =>
    parley.engine.read(async (db) => {
      const viewer = await findViewer(db)
      return { viewer, file: await content({ db, viewer }, { id }) }
    })
  return answerContent(parley, find, request)
}
