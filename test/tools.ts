import { join, relative, resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../tools')
/** The version in `package.json`. */
const NEWEST_POSTGRES = '18'
/** The versions that the tests can be run on. */
export const postgresVersions = ['15', '16', '17', NEWEST_POSTGRES]

/**
 * Installs the programs of `tools/package.json` if they are missing or of other versions. They check the OpenAPI document and the
 * npm package; they are not among the dependencies of Parley because they take hundreds of megabytes.
 */
export const ensureTools = () => installOnce(folder, '--ignore-scripts')

/** Installs the S3 server. It is small, and the first tier needs nothing else of `tools`. */
export const ensureS3 = () => installOnce(join(folder, 's3'), '--ignore-scripts')

/** Installs PostgreSQL in the versions besides the one of `package.json`. Their scripts make the links between their libraries. */
export const ensurePostgresVersions = () => installOnce(join(folder, 'postgres'))

/** Where to look for the package of a version of PostgreSQL. Without a version, it is the one of `package.json`. */
export const folderOfPostgres = (version?: string) =>
  version && version !== NEWEST_POSTGRES
    ? join(folder, 'postgres/node_modules', `postgres-${version}`)
    : import.meta.dir

async function installOnce(where: string, ...flags: string[]) {
  // The lock file of what is installed is copied there when the installation is complete.
  const installed = join(where, 'node_modules/installed-lock.json')
  const wanted = await Bun.file(join(where, 'package-lock.json')).text()
  if ((await Bun.file(installed).exists()) && (await Bun.file(installed).text()) === wanted) return
  const name = relative(join(folder, '..'), where)
  console.log(`Installing the programs in ${name}/ for the tests …`)
  const npm = Bun.spawn(['npm', 'ci', ...flags, '--no-audit', '--no-fund', '--silent'], {
    cwd: where,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await npm.exited) !== 0) throw new Error(`\`npm ci\` in ${name}/ failed.`)
  await Bun.write(installed, wanted)
}

/** The path of an installed program. */
export const toolNamed = (name: string) => join(folder, 'node_modules/.bin', name)
export const s3Server = join(folder, 's3/node_modules/.bin/s3rver')
