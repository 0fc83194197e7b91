import { useQuery } from '@tanstack/react-query'
import { mayHaveFiles } from '../../contract/browser/constants'
import type { Comment } from '../../contract/comments'
import type { FileLimits, File as FileRecord } from '../../contract/files'
import type { Message } from '../../contract/messages'
import type { Post } from '../../contract/posts'
import { toFilesQuery } from '../paths'
import { usePages } from './pages'
import { cache, parley } from './parley'

export type { FileRecord }

const FILES = ['files']
const LIMITS = ['file-limits']
export const fileKey = (id: string) => ['file', id]

/** Where files are listed: a channel or a thread. */
export type FileLocation = { channel_id: string } | { thread_id: string }
export const filesKey = (location: FileLocation) => [...FILES, location]

/** The files of a channel or a thread, newest first. */
export const useFiles = (location: FileLocation, from?: string) =>
  usePages<FileRecord>(filesKey(location), (after) => parley.files.list(toFilesQuery(location, after)), { from })

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

export const refetchFiles = () => void cache.invalidateQueries({ queryKey: FILES })

/** New files are known by the texts that refer to them. Other events may be about a text that is replaced or gone. */
export const refetchIfShown = ({ data }: { data: Post | Comment | Message }) => {
  if (mayHaveFiles(data.content)) refetchFiles()
}
