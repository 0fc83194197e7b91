import { StartError } from '../store/engines/start-error'

const reasons: Record<string, string> = {
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder or file',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the disk is full',
  EIO: 'the disk does not answer as it should',
}

/** Does something with files; what the system says no to is told in a line. Interrupted, it cleans up and leaves. */
export async function explainFiles<T>(work: () => Promise<T>): Promise<T> {
  const leave = () => process.exit(1)
  process.on('SIGINT', leave)
  process.on('SIGTERM', leave)
  try {
    return await work()
  } catch (error) {
    const { code, path } = error as { code?: string; path?: string }
    const reason = reasons[code ?? '']
    if (!reason) throw error
    throw new StartError(`Cannot use ${path ?? 'a file'}: ${reason}.`)
  } finally {
    process.off('SIGINT', leave)
    process.off('SIGTERM', leave)
  }
}
