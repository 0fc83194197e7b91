import { type Operation, successStatus } from '../../contract/operation'
import { toFileName } from '../../domain/files/names'
import { type ReceivedFile, requireRoom } from '../../domain/files/received'
import type { Viewer } from '../../domain/permissions'
import { inspect } from '../../files/inspect'
import { stage } from '../../files/staging'
import { findFilesBytes } from '../../store/files'
import { findAnswer } from '../../store/idempotency'
import { type Answer, type Call, JSON_TYPE } from '../answer'
import type { Bearer } from '../bearers'
import { checkAnswer } from '../check'
import { validInput } from '../input'
import type { Parley } from '../parley'
import { write } from '../write'
import { explainStorage, fileTooLarge } from './problems'
import { store, storeOrDrop } from './store'

/** A file that is being received. */
export interface IncomingFile {
  name: string | undefined
  type: string | undefined
  stream: ReadableStream<Uint8Array>
}

/** How many bytes a multipart body may have besides the file. */
export const ENVELOPE_BYTES = 64 * 1024

/**
 * Receives a file: checks rights and limits before the bytes arrive, stores the bytes, then checks again and inserts the rows in a
 * transaction. If anything fails, everything is removed; what a killed process leaves behind is found by the sweep (jobs/files).
 */
export async function upload(parley: Parley, request: Call, operation: Operation, bearer: Bearer): Promise<Answer> {
  const { limits, slots } = parley.files
  const { viewer } = bearer
  const input = validInput(request.name, { params: request.params, query: request.query, body: undefined })
  const declared = request.bodyBytes ?? 0
  if (declared > limits.maxFileBytes + ENVELOPE_BYTES) throw fileTooLarge(limits.maxFileBytes)
  const release = slots.take(bearer.row.token_key)
  try {
    await refuseEarly(parley, viewer, request, Math.max(0, declared - ENVELOPE_BYTES))
    let contentHash = ''
    const { output, replayed } = await parley.replays(
      viewer,
      request.name,
      request.idempotencyKey,
      () => JSON.stringify([request.name, input, contentHash]),
      async (guard) => {
        const received = await receive(parley, request, bearer, input.name as string | undefined, (hash) => {
          contentHash = hash
        })
        return storeOrDrop(parley, received, () =>
          write(parley, request.name, bearer, input, { guard, via: request.via, prepared: received }),
        )
      },
    )
    if (parley.checkAnswers && replayed === undefined) checkAnswer(request.name, output)
    return {
      status: successStatus(operation),
      body: replayed ?? JSON.stringify(output),
      contentType: JSON_TYPE,
      headers: replayed === undefined ? {} : { 'Idempotency-Replayed': 'true' },
    }
  } finally {
    release()
  }
}

/** Refuses an upload that exceeds the quota before it is received. A repeated request is let through: its first try may have used the space. */
async function refuseEarly({ engine, files, clock }: Parley, viewer: Viewer, { idempotencyKey }: Call, bytes: number) {
  const owner = { workspace_key: viewer.workspace.key, author_key: viewer.author.key }
  await engine.read(async (db) => {
    if (idempotencyKey && (await findAnswer(db, owner, idempotencyKey, clock()))) return
    requireRoom(files.limits, await findFilesBytes(db, viewer.workspace.key), bytes)
  })
}

/** Stores the bytes of an upload. */
async function receive(
  parley: Parley,
  request: Call,
  { viewer }: Bearer,
  givenName: string | undefined,
  onHash: (hash: string) => void,
): Promise<ReceivedFile> {
  const { storage, limits, countBytes } = parley.files
  const incoming = (await request.readBody()) as IncomingFile
  const name = toFileName(givenName ?? incoming.name)
  return explainStorage(parley.log, async () => {
    const staged = await stage(incoming.stream, { maxBytes: limits.maxFileBytes, folder: storage.stagingFolder })
    countBytes('', staged.size)
    onHash(staged.hash)
    const { contentType, width, height, staged: cleaned } = await inspect(staged, { name, declaredType: incoming.type })
    return { name, contentType, width, height, ...(await store(parley, viewer.workspace.id, cleaned)) }
  })
}
