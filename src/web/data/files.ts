import { useQuery } from '@tanstack/react-query'
import type { Comment } from '../../contract/comments'
import type { FileLimits, File as FileRecord } from '../../contract/files'
import type { Message } from '../../contract/messages'
import type { Post } from '../../contract/posts'
import { toFilesQuery } from '../paths'
import type { EventHandlers } from './event-handlers'
import { usePages } from './pages'
import { cache, parley } from './parley'

export type { FileRecord }

const FILES = ['files']
const LIMITS = ['file-limits']
const fileKey = (id: string) => ['file', id]

/** Where files are listed: a channel or a thread. */
export type FilePlace = { channel_id: string } | { thread_id: string }
export const filesKey = (place: FilePlace) => [...FILES, place]

/** The files of a channel or a thread, newest first. */
export const useFiles = (place: FilePlace, from?: string) =>
  usePages<FileRecord>(filesKey(place), (after) => parley.files.list(toFilesQuery(place, after)), { from })

/** One file, such as one that a draft refers to. */
export const useFile = (id: string) => useQuery({ queryKey: fileKey(id), queryFn: () => parley.files.get({ id }) })

const LIMITS_AGE_MS = 60_000

/** How large files may be, and how much space is used. */
export const getLimits = () =>
  cache.fetchQuery({
    queryKey: LIMITS,
    queryFn: () => parley.files.limits(),
    staleTime: LIMITS_AGE_MS,
    networkMode: 'always',
    retry: false,
  })

export const countUsedBytes = (bytes: number) =>
  cache.setQueryData<FileLimits>(LIMITS, (limits) => limits && { ...limits, used_bytes: limits.used_bytes + bytes })

/** Pictures that were uploaded in this window, to show them without loading them again. */
const localFiles = new Map<string, File>()

/** A file that was just uploaded. */
export function putFile(record: FileRecord, file: File) {
  cache.setQueryData(fileKey(record.id), record)
  localFiles.set(record.id, file)
}

export const getLocalFile = (id: string) => localFiles.get(id)

const FILE = 'data-file='

/** There is no event for a new file, so lists are updated by events about records that reference files. */
const refetchFiles = ({ data }: { data: Post | Comment | Message }) => {
  if (data.content.includes(FILE)) void cache.invalidateQueries({ queryKey: FILES })
}
/** Refetches in any case, because the old text is not known: it may have had files. */
const refetchAnyFiles = () => void cache.invalidateQueries({ queryKey: FILES })

export const fileEventHandlers: EventHandlers = {
  'post.created': refetchFiles,
  'post.updated': refetchAnyFiles,
  'post.deleted': refetchAnyFiles,
  'comment.created': refetchFiles,
  'comment.updated': refetchAnyFiles,
  'comment.deleted': refetchAnyFiles,
  'message.created': refetchFiles,
  'message.updated': refetchAnyFiles,
  'message.deleted': refetchAnyFiles,
  'file.deleted': refetchAnyFiles,
  'workspace.seeded': refetchAnyFiles,
}
