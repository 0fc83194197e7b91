import { useSyncExternalStore } from 'react'
import { ApiError, ConnectionError } from '../../client/errors'
import { toApiError } from '../../client/send'
import { formatSize, SHOWN_IMAGES } from '../../contract/browser/file-facts'
import { getErrorMessage } from '../parts/states'
import { endpoints } from '../paths'
import { cache } from './cache/parley'
import { sendAuthorized } from './cache/session'
import { createRandomId } from './cache/storage'
import { readDraft, saveDraft } from './drafts'
import { appendReference, countUsedBytes, type FileRecord, fileKey, getLimits, toReference } from './files'

/** A file that is being uploaded. When the upload is complete, the draft references the file. */
export interface Upload {
  id: string
  /** The draft that the file is for. */
  draftKey: string
  file: File
  state: 'waiting' | 'running' | 'failed'
  sentBytes: number
  /** Why it failed. */
  reason?: string
  /** Whether trying again may help. */
  canRetry?: boolean
  /** Whether the server could not be reached. */
  isLost?: boolean
  idempotencyKey: string
}

const MAX_RUNNING = 3

let uploads: readonly Upload[] = []
const controllers = new Map<string, AbortController>()
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The uploads of a draft that are not finished, oldest first. */
export const useUploads = (draftKey: string): Upload[] =>
  useSyncExternalStore(subscribe, () => uploads).filter((upload) => upload.draftKey === draftKey)

function change(next: readonly Upload[]) {
  uploads = next
  const isRunning = next.some(({ state }) => state !== 'failed')
  if (isRunning) addEventListener('beforeunload', warnBeforeLeaving)
  else removeEventListener('beforeunload', warnBeforeLeaving)
  for (const listener of listeners) listener()
}

/** Leaving the page would end the uploads, so the browser asks first. */
const warnBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

const update = (id: string, changes: Partial<Upload>) =>
  change(uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)))

const drop = (id: string) => change(uploads.filter((upload) => upload.id !== id))

/** Uploads files for a draft, a few at a time. Returns the ids of the uploads. */
export function startUploads(draftKey: string, files: readonly File[]): string[] {
  const added = files.map((file): Upload => {
    const [id, idempotencyKey] = [createRandomId(), createRandomId()]
    return { id, draftKey, file, state: 'waiting', sentBytes: 0, idempotencyKey }
  })
  change([...uploads, ...added])
  startWaiting()
  return added.map(({ id }) => id)
}

/** Cancels an upload, or removes one that failed. */
export function cancelUpload(id: string) {
  controllers.get(id)?.abort()
  drop(id)
  startWaiting()
}

/** Cancels what is being uploaded for a draft that is discarded. */
export function cancelUploads(draftKey: string) {
  for (const upload of uploads) if (upload.draftKey === draftKey) cancelUpload(upload.id)
}

export function retryUpload(id: string) {
  update(id, { state: 'waiting', sentBytes: 0, reason: undefined })
  startWaiting()
}

/** Once the server can be reached again. */
export function retryLostUploads(draftKey: string) {
  for (const { id, draftKey: key, state, isLost } of uploads)
    if (key === draftKey && state === 'failed' && isLost) retryUpload(id)
}

/** Moves the uploads of a draft along with the draft. */
export const moveUploads = (from: string, to: string) =>
  change(uploads.map((upload) => (upload.draftKey === from ? { ...upload, draftKey: to } : upload)))

function startWaiting() {
  const running = uploads.filter(({ state }) => state === 'running').length
  const waiting = uploads.filter(({ state }) => state === 'waiting')
  for (const upload of waiting.slice(0, Math.max(0, MAX_RUNNING - running))) void run(upload)
}

async function run({ id, file, idempotencyKey }: Upload) {
  const controller = new AbortController()
  controllers.set(id, controller)
  update(id, { state: 'running' })
  try {
    const refusal = await findRefusal(file)
    if (refusal) return update(id, { state: 'failed', reason: refusal, canRetry: false })
    if (controller.signal.aborted) return
    const onProgress = (sentBytes: number) => update(id, { sentBytes })
    const record = await uploadFile(file, { idempotencyKey, onProgress, signal: controller.signal })
    if (!controller.signal.aborted) finish(id, record)
  } catch (error) {
    if (!controller.signal.aborted) fail(id, error)
  } finally {
    controllers.delete(id)
    startWaiting()
  }
}

/** Why the server would refuse a file. Checked before it is sent. */
async function findRefusal({ size }: File): Promise<string | undefined> {
  if (size === 0) return 'This file is empty.'
  const limits = await getLimits()
  if (size > limits.max_file_bytes)
    return `This file is too large: ${formatSize(size)}. The limit is ${formatSize(limits.max_file_bytes)}.`
  if (limits.quota_bytes !== null && limits.used_bytes + size > limits.quota_bytes)
    return `Not enough space left. The files of this workspace can take up to ${formatSize(limits.quota_bytes)}.`
  return undefined
}

function fail(id: string, error: unknown) {
  const status = error instanceof ApiError ? error.status : 0
  const canRetry = status < 400 || status === 429 || status >= 500
  // If there was a response, a retry gets a new key. If the response was lost, the retry uses the same key.
  const key = error instanceof ApiError && { idempotencyKey: createRandomId() }
  update(id, { state: 'failed', reason: getErrorMessage(error), canRetry, isLost: status === 0, ...key })
}

/** Puts a finished upload into the text of an editor. */
export type Insert = (uploadId: string, record: FileRecord) => void

const editors = new Map<string, Insert>()
/** The texts of editors that were closed while files were being uploaded, where no draft has them: not changed ones. */
const closedTexts = new Map<string, string>()

/** Registers the open editor of a draft. Without one, finished uploads are added at the end of the draft. */
export function registerEditor(draftKey: string, insert: Insert, readText: () => string) {
  editors.set(draftKey, insert)
  closedTexts.delete(draftKey)
  return () => {
    if (editors.get(draftKey) === insert) editors.delete(draftKey)
    const isUploading = uploads.some((upload) => upload.draftKey === draftKey)
    if (isUploading && !readDraft(draftKey)) closedTexts.set(draftKey, readText())
  }
}

function finish(id: string, record: FileRecord) {
  const { draftKey, file } = uploads.find((upload) => upload.id === id)!
  putFile(record, file)
  countUsedBytes(record.size)
  drop(id)
  const insert = editors.get(draftKey)
  if (insert) return insert(id, record)
  const text = readDraft(draftKey) || (closedTexts.get(draftKey) ?? '')
  // From now on the draft has it.
  closedTexts.delete(draftKey)
  saveDraft(draftKey, appendReference(text, toReference(record)))
}

interface Options {
  idempotencyKey: string
  signal: AbortSignal
  onProgress(sentBytes: number): void
}

/** Uploads a file. Not through `fetch`, which does not report progress. */
async function uploadFile(file: File, options: Options): Promise<FileRecord> {
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

/** Pictures that were uploaded in this window, to show them without loading them again. The last ones: they take memory. */
const localFiles = new Map<string, File>()
const MAX_LOCAL_FILES = 20

/** A file that was just uploaded. */
function putFile(record: FileRecord, file: File) {
  cache.setQueryData(fileKey(record.id), record)
  if (!SHOWN_IMAGES.includes(file.type)) return
  localFiles.set(record.id, file)
  if (localFiles.size > MAX_LOCAL_FILES) localFiles.delete(localFiles.keys().next().value!)
}

export const getLocalFile = (id: string) => localFiles.get(id)
