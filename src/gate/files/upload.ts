import type { Operation } from '../../contract/operation'
import { type ReceivedFile, requireRoom, toFileName } from '../../domain/files'
import type { Viewer } from '../../domain/permissions'
import { inspect } from '../../files/inspect'
import { findFilesBytes } from '../../store/files/files'
import { findStoredResponse } from '../../store/log/idempotency'
import type { Answer, Call } from '../answer'
import type { Bearer } from '../bearers'
import { validInput } from '../input'
import type { Parley } from '../parley'
import { answerWrite, write } from '../write'
import { explainStorage, fileTooLarge } from './files'
import { type ArrivedFile, MAX_FORM_BYTES, receive, storePicture } from './pictures'
import { deleteUnlessUsed, store } from './store'

/**
 * Receives a file or a picture: checks rights and limits before the bytes arrive, stores the bytes, then checks again and inserts
 * the rows in a transaction. If anything fails, everything is removed; what a killed process leaves behind is found by the sweep
 * (jobs/files).
 */
export async function upload(parley: Parley, request: Call, operation: Operation, bearer: Bearer): Promise<Answer> {
  const { limits, slots } = parley.files
  const { viewer } = bearer
  const input = validInput(request.name, { params: request.params, query: request.query, body: undefined })
  const declared = request.bodyBytes ?? 0
  if (declared > limits.maxFileBytes + MAX_FORM_BYTES) throw fileTooLarge(limits.maxFileBytes)
  const release = slots.take(bearer.row.token_key)
  try {
    // Pictures are small and few, so they do not count towards the quota.
    if (!operation.picture) await refuseEarly(parley, viewer, request, Math.max(0, declared - MAX_FORM_BYTES))
    let file = ''
    const getInput = () => ({ ...input, file })
    return await answerWrite(parley, request, bearer, getInput, async (guard) => {
      const stored = await explainStorage(parley.log, async () => {
        const arrived = await receive(parley, request)
        file = arrived.staged.hash
        return operation.picture
          ? storePicture(parley, viewer, operation.picture, arrived)
          : storeFile(parley, viewer, input.name as string | undefined, arrived)
      })
      return deleteUnlessUsed(parley, stored, () =>
        write(parley, request.name, bearer, input, { guard, via: request.via, prepared: stored }),
      )
    })
  } finally {
    release()
  }
}

/** Refuses an upload that exceeds the quota before it is received. A repeated request is let through: its first try may have used the space. */
async function refuseEarly({ engine, files, clock }: Parley, viewer: Viewer, { idempotencyKey }: Call, bytes: number) {
  const owner = { workspace_key: viewer.workspace.key, author_key: viewer.author.key }
  await engine.read(async (db) => {
    if (idempotencyKey && (await findStoredResponse(db, owner, idempotencyKey, clock()))) return
    requireRoom(files.limits, await findFilesBytes(db, viewer.workspace.key), bytes)
  })
}

async function storeFile(
  parley: Parley,
  viewer: Viewer,
  givenName: string | undefined,
  arrived: ArrivedFile,
): Promise<ReceivedFile> {
  const name = toFileName(givenName ?? arrived.name)
  const claim = { name, declaredType: arrived.type }
  const { contentType, width, height, staged } = await inspect(arrived.staged, claim, parley.files.space)
  return { name, contentType, width, height, ...(await store(parley, viewer.workspace.id, staged)) }
}
