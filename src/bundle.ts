import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dir, '..')

/** Holds the bundle of `scripts/bundle.ts`, in a folder named after the hash of what it was made of. */
export const bundles = join(root, 'dist/bundle')

/** Besides `src`. npm writes the last one whenever it installs something. */
const OTHER_SOURCES = ['package.json', 'tsconfig.json', 'node_modules/.package-lock.json']

/** The files of the program and of the web app, the guides and the recorded examples. */
export const listSources = (): string[] => [
  ...(readdirSync(join(root, 'src'), { recursive: true }) as string[])
    .filter((path) => /\.(tsx?|css|js|json|html|svg)$/.test(path))
    .map((path) => `src/${path}`)
    .sort(),
  ...(readdirSync(join(root, 'docs')) as string[])
    .filter((path) => path.endsWith('.md') || path === 'examples.json')
    .map((path) => `docs/${path}`)
    .sort(),
  ...OTHER_SOURCES,
]

/** Differs if any file differs in name or content, Bun in its version, or the folder, which the bundle names. */
export function hashSources(): string {
  const hash = new Bun.CryptoHasher('sha256').update(`${Bun.version_with_sha} ${root}`)
  for (const path of listSources()) {
    const content = readFileSync(join(root, path))
    hash.update(`\n${path} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** The bundle that was made of exactly these sources, if there is one. */
export function findBundle(): string | undefined {
  try {
    if (!existsSync(bundles)) return undefined
    const file = join(bundles, hashSources(), 'main.js')
    return existsSync(file) ? file : undefined
  } catch {
    return undefined // Not installed by npm.
  }
}
