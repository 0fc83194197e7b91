import { existsSync, readFileSync, statSync } from 'node:fs'
import { StartError } from '../domain/start-error'
import { type Setting, settings } from './settings'

export type Environment = Readonly<Record<string, string | undefined>>

/** A value as it was given, and where: in a variable, or in the file that another variable names. */
export interface Given {
  text: string
  file?: string
}

const MAX_BYTES = 64 * 1024

const reasons: Record<string, string> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
}

const all: Record<string, Setting<unknown>> = settings

/** The names of variables that Parley reads. */
export const settingNames: readonly string[] = Object.entries(all).flatMap(([name, { isSecret, alias }]) => [
  name,
  ...(isSecret ? [fileOf(name)] : []),
  ...(alias ? [alias] : []),
])

/** The variables that name a file with a secret. */
export const secretFileNames: readonly string[] = settingNames.filter((name) => name.endsWith('_FILE'))

function fileOf(name: string): string {
  return `${name}_FILE`
}

/** What the environment says about a setting. An empty value is none. */
export function findGiven(env: Environment, name: keyof typeof settings): Given {
  const { isSecret, alias, fallback } = all[name]!
  const read = (variable: string) => env[variable]?.trim() || undefined
  const own = read(name)
  const file = isSecret ? read(fileOf(name)) : undefined
  if (own && file) throw new StartError(`${name} and ${fileOf(name)} are both set. Set only one of them.`)
  if (file) return { text: readSecret(file, `${fileOf(name)}=${printablePath(file)}`), file }
  return { text: own ?? (alias && read(alias)) ?? fallback }
}

/** Someone may have put the secret itself where the name of its file belongs. */
const printablePath = (path: string) => (/^\.{0,2}\//.test(path) || existsSync(path) ? path : '***')

/** The only line of a file. The messages do not show it. */
function readSecret(path: string, named: string): string {
  const text = decode(readBytes(path, named))?.trim()
  if (text === undefined) throw new StartError(`${named} is not text. Write the secret as text, for example in Base64.`)
  if (text === '') throw new StartError(`${named} is empty.`)
  if (/[\r\n]/.test(text)) throw new StartError(`${named} has more than one line. It must contain the secret alone.`)
  return text
}

function readBytes(path: string, named: string): Uint8Array {
  try {
    const found = statSync(path)
    // A device may have no end, and a pipe can be read only once.
    if (!found.isFile()) throw new StartError(`${named} is not a file.`)
    if (found.size > MAX_BYTES) throw new StartError(`${named} is larger than ${MAX_BYTES / 1024} kB.`)
    return readFileSync(path)
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new StartError(`${named} cannot be read: ${reasons[code] ?? message}.`)
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
