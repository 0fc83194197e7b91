import type { WriteContext } from '../actions/context'
import { localUrl, readConfig } from '../config'
import { Problem } from '../contract/errors'
import { newId } from '../domain/ids'
import { openParley, type Parley } from '../gate/parley'
import { changeWorkspace, Unchanged } from '../gate/write'
import { openLog } from '../log'
import { openMetrics } from '../metrics'
import { linksFrom } from '../records/links'
import { operatorOf } from '../setup/operator'
import { StartError } from '../store/engines/start-error'
import { findMemberByEmail } from '../store/members'
import { latestVersion, refuseNewer, schemaVersion } from '../store/migrate'
import { openEngine } from '../store/open'
import { findWorkspace, listWorkspaces } from '../store/workspaces'
import { version } from '../version'

/** Opens what the settings name, for one command; works while a server runs on the same database. */
export async function withParley<T>(work: (parley: Parley) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const engine = openEngine(config.databaseUrl, { poolSize: 2 })
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
      }),
    )
  } finally {
    await engine.close()
  }
}

/** The same, once the database is at this program's version. */
export const withCurrentParley = <T>(work: (parley: Parley) => Promise<T>): Promise<T> =>
  withParley(async (parley) => {
    refuseOther(await versionOf(parley))
    return work(parley)
  })

export const versionOf = ({ engine }: Pick<Parley, 'engine'>) => engine.migrate((db) => schemaVersion(db))

export function refuseOther(version: number) {
  refuseNewer(version)
  if (version < latestVersion)
    throw new StartError(
      'The database is not set up for this version yet. Run `parley migrate`, or start the server once.',
    )
}

/** One change to a workspace, by whoever has the machine. Where there was nothing to change, nothing is left of it. */
export async function changeAsOperator<T>(
  parley: Parley,
  slug: string | undefined,
  work: (context: WriteContext) => Promise<T>,
): Promise<T> {
  const workspace = await chosenWorkspace(parley, slug)
  return parley.engine
    .write((db) => changeWorkspace(parley, db, operatorOf(workspace), work))
    .catch((error) => {
      if (error instanceof Unchanged) return error.output as T
      throw error
    })
}

/** The member with this e-mail address, who may sign in and have tokens. */
export async function activeMember({ db, viewer }: WriteContext, email: string) {
  const member = await findMemberByEmail(db, viewer.workspace.key, email.toLowerCase())
  if (!member) throw new StartError(`${email} is not a member of ${viewer.workspace.slug}.`)
  if (member.is_deactivated) throw new Problem('member_deactivated', `${email} is deactivated.`)
  return member
}

/** The workspace with this slug; without one, the only workspace. */
export async function chosenWorkspace({ engine }: Pick<Parley, 'engine'>, slug: string | undefined) {
  const workspaces = await engine.read((db) =>
    slug ? findWorkspace(db, slug).then((found) => (found ? [found] : [])) : listWorkspaces(db),
  )
  if (workspaces.length === 1) return workspaces[0]!
  if (slug) throw new StartError(`There is no workspace “${slug}”.`)
  if (workspaces.length === 0)
    throw new StartError('There is no workspace yet. Run `parley workspace create`, or start the server once.')
  throw new StartError(
    `There are several workspaces; add --workspace with one of: ${workspaces.map((each) => each.slug).join(', ')}.`,
  )
}
