import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { projectRoot, read } from './documents'

const TOP_FOLDERS = ['src', 'test', 'docs', 'bench', 'bin', 'scripts', 'tools', 'deploy']

/** Packages are installed in `tools`: what is inside its folders is not listed. */
const listFolder = (folder: string) =>
  readdirSync(resolve(projectRoot, folder), { recursive: folder !== 'tools', encoding: 'utf8' })

/** All files and folders, by their paths from the root of the project. */
const entries = new Set(
  TOP_FOLDERS.flatMap((folder) => [folder, ...listFolder(folder).map((path) => join(folder, path))]),
)
export const rooms = readdirSync(resolve(projectRoot, 'src')).sort()
/** The folders of the store, and the migrations, which may use the engines. */
export const shelves = [
  ...readdirSync(resolve(projectRoot, 'src/store')).filter((name) => !name.includes('.')),
  'schema/migrations',
].sort()

/** The files whose comments are checked. */
export const sources = [...entries].filter((path) => /\.tsx?$/.test(path)).sort()

const startsInProject = (name: string) => [...TOP_FOLDERS, ...rooms].some((top) => name.startsWith(`${top}/`))

/** Whether a text in code names a file or folder: `src/gate/write.ts`, `gate/write.ts` for short, or a name alone after one of these. */
const isName = (text: string) =>
  /^[\w.…*<>/-]+$/.test(text) && !text.startsWith('/') && (/\.tsx?$/.test(text) || startsInProject(text))

/**
 * The files and folders that a document names in code and that do not exist, and those it calls *new* that do. Examples of output and
 * commands are no names.
 */
export function findWrongNames(document: string): string[] {
  let isInCode = false
  return read(document)
    .split('\n')
    .flatMap((line, at) => {
      if (/^[\s>]*```/.test(line)) isInCode = !isInCode
      if (isInCode) return []
      let folder = '.'
      return [...line.matchAll(/`([^`]+)`(?: (\*new\*))?/g)]
        .filter(([, name]) => isName(name!))
        .filter(([, name, isNew]) => {
          const found = findEntry(name!, ['.', 'src', 'test', folder])
          // A name without a folder is in that of the name before it.
          if (name!.includes('/')) folder = dirname(found ?? name!)
          return (found === undefined) !== (isNew !== undefined)
        })
        .map(([, name]) => `${document}:${at + 1} names ${name}`)
    })
}

/** The files and folders that comments of a source name and that do not exist. */
export function findWrongComments(source: string): string[] {
  const [top, room] = source.split('/') as [string, string]
  const starts = ['.', 'src', 'test', dirname(source), `${top}/${room}`]
  return read(source)
    .split('\n')
    .flatMap((line, at) => {
      const [, comment] = /(?:^\s*(?:\/?\*+|\/\/)|\s\/\/ |\/\*\* )(.*)$/.exec(line) ?? []
      return [...(comment?.matchAll(/(?<![\w/.:{}$…-])(?:[\w-]+\/)*[\w.-]*\w\/?/g) ?? [])]
        .map(([name]) => name)
        .filter((name) => /\w\.(?:tsx?|css|md)$/.test(name) || startsInProject(name))
        .filter((name) => !findEntry(name, starts) && !findEntry(`${name}.ts`, starts))
        .map((name) => `${source}:${at + 1} names ${name}`)
    })
}

/** The file or folder of a name, which begins in one of these folders. `…`, `*` and `<noun>` stand for any part of a name. */
function findEntry(name: string, starts: readonly string[]): string | undefined {
  const path = name.replace(/\/$/, '').replace(/…|<\w+>/g, '*')
  const candidates = starts.map((start) => join(start, path))
  if (!path.includes('*')) return candidates.find((candidate) => entries.has(candidate))
  return candidates.find((candidate) => [...entries].some((entry) => new Bun.Glob(candidate).match(entry)))
}
