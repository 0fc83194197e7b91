import { useQuery } from '@tanstack/react-query'
import { mayHaveFiles } from '../../contract/browser/constants'
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
export const fileKey = (id: string) => ['file', id]

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

const refetchFiles = () => void cache.invalidateQueries({ queryKey: FILES })

/** New files are known by the texts that refer to them. */
const refetchIfShown = ({ data }: { data: Post | Comment | Message }) => {
  if (mayHaveFiles(data.content)) refetchFiles()
}

/** Those of the other handlers may also have been in a text that is replaced or gone. */
export const fileEventHandlers: EventHandlers = {
  'post.created': refetchIfShown,
  'post.updated': refetchFiles,
  'post.deleted': refetchFiles,
  'post.resolved': refetchFiles,
  'post.unresolved': refetchFiles,
  'comment.created': refetchIfShown,
  'comment.updated': refetchFiles,
  'comment.deleted': refetchFiles,
  'message.created': refetchIfShown,
  'message.updated': refetchFiles,
  'message.deleted': refetchFiles,
  'file.deleted': refetchFiles,
  'workspace.seeded': refetchFiles,
}
