import { StartError } from '../domain/start-error'

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the disk is full',
  EIO: 'the disk reports an error',
  EEXIST: 'it is not a folder',
  ELOOP: 'there are too many symbolic links in the path',
  ENAMETOOLONG: 'the path is too long',
}

/** The code of an error of the file system, and what it means. */
export function reasonOf(error: unknown): { code: string; reason: string } {
  const { code = '', message } = error as { code?: string | number; message: string }
  return { code: String(code), reason: reasons[code] ?? message.replace(/\.$/, '') }
}

/** Turns errors of the file system into one-line messages. When interrupted, exits after the clean-up. */
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
