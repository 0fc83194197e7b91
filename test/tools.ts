import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../tools')
const lock = join(folder, 'package-lock.json')
/** The lock file of what is installed, copied there when the installation is complete. */
const installed = join(folder, 'node_modules/installed-lock.json')

/**
 * Installs the programs of `tools/package.json` if they are missing or of other versions. They check the OpenAPI document and the
 * npm package; they are not among the dependencies of Parley because they take hundreds of megabytes.
 */
export async function ensureTools() {
  const wanted = await Bun.file(lock).text()
  if ((await Bun.file(installed).exists()) && (await Bun.file(installed).text()) === wanted) return
  console.log('Installing the programs in tools/ for the tests …')
  const npm = Bun.spawn(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: folder,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await npm.exited) !== 0) throw new Error('`npm ci` in tools/ failed.')
  await Bun.write(installed, wanted)
}

/** The path of an installed program. */
export const toolNamed = (name: string) => join(folder, 'node_modules/.bin', name)
