import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Documents about the project itself, which nobody needs who uses it. */
export const internalDocuments = ['architecture.md', 'bench.md', 'torture.md']

// Not `import.meta.dir`, which `scripts/bundle.ts` replaces.
const folder = join(dirname(import.meta.path), '../../docs')

/**
 * The guides by file name. Evaluated as a macro while bundling, so that a server has them without
 * the folder.
 */
export const readGuideFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith('.md') && !internalDocuments.includes(name))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
