import { type RefObject, useLayoutEffect, useRef } from 'react'
import { appendReference, toReference } from '../data/files'
import { toMarkdown } from '../data/mentions'
import { type Insert, registerEditor, startUploads, type Upload, useUploads } from '../data/uploads'
import type { SurfaceHandle } from './surface'

interface Options {
  draftKey: string
  surface: RefObject<SurfaceHandle | null>
  text: string
  write(text: string): void
}

/** The files of a composer. Each is inserted where the caret was when it was added, as soon as it is on the server. */
export function useAttachments({ draftKey, surface, text, write }: Options) {
  const uploads = useUploads(draftKey)
  const latest = useRef({ text, write })
  latest.current = { text, write }

  // As the surface is: React takes it away as soon as another page is loading.
  useLayoutEffect(() => {
    const insert: Insert = (uploadId, record) => {
      if (surface.current) surface.current.insertFile(uploadId, record)
      else latest.current.write(appendReference(latest.current.text, toReference(record)))
    }
    return registerEditor(draftKey, insert, () => toMarkdown(latest.current.text))
  }, [draftKey, surface])

  return {
    uploads,
    upload: (files: readonly File[]) => startUploads(draftKey, files),
    add(files: readonly File[]) {
      const ids = startUploads(draftKey, files)
      surface.current?.keepPlaces(ids)
    },
  }
}

export const isRunning = ({ state }: Upload) => state !== 'failed'

/** Why a text cannot be sent before all of its files are uploaded. */
export function getUploadReason(uploads: readonly Upload[]): string | undefined {
  if (uploads.some(isRunning)) return 'Wait until the files are uploaded.'
  return uploads.length > 0 ? 'Retry or remove the files that were not uploaded.' : undefined
}
