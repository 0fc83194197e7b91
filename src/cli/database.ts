import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { WriteContext } from '../actions/context'
import { type Config, readConfig } from '../config'
import { localUrl } from '../config/addresses'
import { Problem } from '../contract/errors'
import { newId } from '../domain/ids'
import { linksFrom } from '../domain/links'
import { operatorOf } from '../domain/permissions'
import { StartError } from '../domain/start-error'
import { openStorage } from '../files/open'
import { openParley, type Parley } from '../gate/parley'
import { withWriteContext } from '../gate/write'
import { openLog } from '../log'
import { openMetrics } from '../metrics'
import { Unchanged } from '../store/changes/change'
import type { Engine } from '../store/engines/engine'
import { openEngineForCommand } from '../store/open'
import { findMemberByEmail } from '../store/people/members'
import { findWorkspace, listWorkspaces } from '../store/people/workspaces'
import { latestVersion, refuseNewer, refuseOlder, schemaVersion } from '../store/schema/migrations'
import { version } from '../version'

/** SQLite creates a file that does not exist. A command that does not set up a database must not. */
function requireDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>) {
  const file = databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  if (!file || existsSync(resolve(file))) return
  throw new StartError(
    `There is no database ${resolve(file)}. Set DATABASE_URL as for the server; if there is none yet, start the server once.`,
  )
}

/** Opens the database in the settings, if it exists. */
export async function withExistingEngine<T>(config: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  const { databaseUrl } = config
  requireDatabase(config)
  const engine = openEngineForCommand(databaseUrl)
  try {
    await engine.ping()
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** Opens the database in the settings for one command, and creates it if there is none. A server may be running on it. */
export async function withParley<T>(work: (parley: Parley) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const engine = openEngineForCommand(config.databaseUrl)
  const base = config.publicUrl ?? localUrl(config.host, config.port)
  try {
    await engine.ping()
    return await work(
      openParley({
        engine,
        links: linksFrom(base),
        log: openLog({ level: config.logLevel, format: config.logFormat }),
        metrics: openMetrics(),
        clock: Date.now,
        newId,
        rateLimit: 0,
        cacheBytes: 0,
        edition: version,
        fileParts: {
          storage: openStorage(config),
          limits: { maxFileBytes: 0, quotaBytes: null, hasImageProxy: false },
        },
      }),
    )
  } finally {
    await engine.close()
  }
}

/** The same, if there is a database, and its schema is current. */
export async function withMigratedParley<T>(work: (parley: Parley) => Promise<T>): Promise<T> {
  requireDatabase(readConfig(process.env))
  return withParley(async (parley) => {
    const version = await readSchemaVersion(parley)
    if (version === 0)
      throw new StartError(
        `The database ${parley.engine.location} is empty. If the server uses another one, set DATABASE_URL; or start the server once.`,
      )
    requireLatestSchema(version)
    return work(parley)
  })
}

export const readSchemaVersion = ({ engine }: Pick<Parley, 'engine'>) => engine.migrate((db) => schemaVersion(db))

export function requireLatestSchema(version: number) {
  refuseNewer(version)
  refuseOlder(version)
  if (version < latestVersion)
    throw new StartError(
      'The database has not been migrated to this version. Run `parley migrate`, or start the server once.',
    )
}

/** Changes a workspace as the operator, who is above its rules. If nothing changed, nothing is committed. */
export async function changeAsOperator<T>(
  parley: Parley,
  slug: string | undefined,
  work: (context: WriteContext) => Promise<T>,
): Promise<T> {
  const workspace = await findChosenWorkspace(parley, slug)
  return parley.engine
    .write((db) => withWriteContext(parley, db, operatorOf(workspace), work))
    .catch((error) => {
      if (error instanceof Unchanged) return error.output as T
      throw error
    })
}

/** The member with this e-mail address; throws if there is none, or if they are deactivated. */
export async function findActiveMember({ db, viewer }: WriteContext, email: string) {
  const member = await findMemberByEmail(db, viewer.workspace.key, email.toLowerCase())
  if (!member) throw new StartError(`${email} is not a member of ${viewer.workspace.slug}.`)
  if (member.is_deactivated) throw new Problem('member_deactivated', `${email} is deactivated.`)
  return member
}

/** The workspace with this slug; without a slug, the only workspace. */
export async function findChosenWorkspace({ engine }: Pick<Parley, 'engine'>, slug: string | undefined) {
  const workspaces = await engine.read((db) =>
    slug ? findWorkspace(db, slug).then((found) => (found ? [found] : [])) : listWorkspaces(db),
  )
  if (workspaces.length === 1) return workspaces[0]!
  if (slug) throw new StartError(`There is no workspace “${slug}”.`)
  if (workspaces.length === 0)
    throw new StartError('There is no workspace yet. Run `parley workspace create`, or start the server once.')
  throw new StartError(
    `There are several workspaces. Choose one with --workspace: ${workspaces.map((each) => each.slug).join(', ')}.`,
  )
}
