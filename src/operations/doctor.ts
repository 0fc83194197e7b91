import { Problem } from '../contract/errors'
import { StartError } from '../domain/start-error'
import { findLogGaps, listChecks } from '../store/checks/consistency'
import {
  checkData,
  checkEngine,
  countLostLinks,
  findNewestEvent,
  listWithoutAdmin,
  touch,
} from '../store/checks/database'
import { compareIndex } from '../store/checks/search'
import {
  DAMAGE_ADVICE,
  DatabaseDamaged,
  type Finding,
  fail,
  INDEX_ADVICE,
  pass,
  SearchIndexDamaged,
  showSome,
} from '../store/engines/damage'
import type { Reader } from '../store/engines/db'
import { type Engine, noProgress, type OpenProgress } from '../store/engines/engine'
import { findVersion, latestVersion, oldestVersion, runWithOldest } from '../store/schema/migrations'
import { findBuildState } from '../store/search/build'
import { checkFiles, type FilesToCheck } from './doctor-files'
import {
  checkKey,
  explainKey,
  KEY_NEEDED,
  type KeySettings,
  keyFileOf,
  NEW_SECRETS,
  unreadableText,
} from './secret-key'

const MAX_CLOCK_DIFFERENCE_MS = 5 * 60 * 1000

export interface DoctorOptions {
  isFull?: boolean
  files?: FilesToCheck
  openProgress?: OpenProgress
}

/**
 * Checks everything that can go wrong with an installation. Later checks depend on earlier ones. A full check reads every
 * row and every index.
 */
export async function* runDoctor(
  engine: Engine,
  settings: KeySettings,
  now: number,
  { isFull = false, files, openProgress = noProgress }: DoctorOptions = {},
): AsyncGenerator<Finding> {
  const reachable = await attempt('database', () => engine.ping(), `${engine.kind} ${engine.location} responds`)
  yield reachable
  if (!reachable.isOk) return
  // Damage first: it explains other problems.
  yield* await findings('data', () => checkData(engine, isFull))
  const schema = await checkSchema(engine)
  yield schema
  if (!schema.isOk) return

  yield await checkWritable(engine)
  yield* await findings('engine', () => checkEngine(engine))
  yield* await findings('secret key', () => engine.read((db) => checkSecretKey(db, settings)))
  for (const [what, check] of Object.entries(checks))
    yield* await findings(what, () => engine.snapshot((db) => check(db, now)))
  yield* await findings('counters', () => checkCounters(engine, openProgress))
  yield* await findings('search index', () => checkSearchIndex(engine, openProgress))
  if (files) yield* await findings('files', () => checkFiles(engine, files, now, openProgress))
}

const checks: Record<string, (db: Reader, now: number) => Promise<Finding[]>> = {
  'event log': checkLog,
  admins: checkAdmins,
  'sign-in links': checkLinks,
  clock: checkClock,
}

/** Runs a check. If it cannot be done, that is the finding. */
async function findings(what: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof DatabaseDamaged)
      return [fail(what, `the database is damaged (${(error.cause as Error).message})`, DAMAGE_ADVICE)]
    if (error instanceof SearchIndexDamaged)
      return [fail(what, `the search index is damaged (${(error.cause as Error).message})`, INDEX_ADVICE)]
    if (error instanceof Problem) return [fail(what, error.detail, 'Fix that, and run this again.')]
    if (error instanceof StartError) return [fail(what, error.message, 'Fix that, and run this again.')]
    throw error
  }
}

/** A check that passes unless it throws. */
async function attempt(what: string, work: () => Promise<unknown>, message: string): Promise<Finding> {
  try {
    await work()
    return pass(what, message)
  } catch (error) {
    const { detail, message } = error as Error & { detail?: string }
    return fail(
      what,
      detail ?? message,
      'Check DATABASE_URL, that the database is running, and that this user may write to it.',
    )
  }
}

async function checkSchema(engine: Engine): Promise<Finding> {
  const version = await engine.read(findVersion).catch((error) => {
    if (error instanceof DatabaseDamaged) return undefined
    return 0
  })
  if (version === undefined) return fail('schema', 'cannot be read', DAMAGE_ADVICE)
  if (version === latestVersion) return pass('schema', `version ${version}`)
  if (version > 0 && version < oldestVersion)
    return fail(
      'schema',
      `version ${version}, older than Parley 0.2.0 (version ${oldestVersion})`,
      `Upgrade it with 0.2.0 first: ${runWithOldest('migrate')}`,
    )
  return version < latestVersion
    ? fail('schema', `version ${version} of ${latestVersion}`, 'Run `parley migrate`, or start the server once.')
    : fail('schema', `version ${version}, this Parley supports up to ${latestVersion}`, 'Use a newer Parley.')
}

class RollBack extends Error {}

/** Writes, and rolls back. */
function checkWritable(engine: Engine): Promise<Finding> {
  const write = () =>
    engine.write(async (db) => {
      await touch(db)
      throw new RollBack()
    })
  const ignoreRollBack = (error: unknown) => {
    if (!(error instanceof RollBack)) throw error
  }
  return attempt('writing', () => write().catch(ignoreRollBack), 'the database accepts writes')
}

async function checkSecretKey(db: Reader, settings: KeySettings): Promise<Finding[]> {
  const check = await checkKey(db, settings)
  if (check.status === 'unneeded') {
    const needed = keyFileOf(settings) ? 'none yet; the server creates one when it starts' : KEY_NEEDED
    return [pass('secret key', needed.replace(/\.$/, ''))]
  }
  if (check.status !== 'right') {
    const { fault, advice } = explainKey(check, settings)
    return [fail('secret key', fault, advice)]
  }
  if (check.unreadable.length > 0) return [fail('secret key', unreadableText(check.unreadable.length), NEW_SECRETS)]
  return [pass('secret key', 'it decrypts every secret')]
}

async function checkLog(db: Reader): Promise<Finding[]> {
  const gaps = await findLogGaps(db)
  if (gaps.length === 0) return [pass('event log', 'no gaps')]
  const advice = 'Something else wrote to the database. Restore a backup, or report this with the log of the server.'
  return gaps.map((gap) => fail('event log', gap, advice))
}

/** Each check reads for itself, so that none of the reads is long. */
async function checkCounters(engine: Engine, openProgress: OpenProgress): Promise<Finding[]> {
  const all = listChecks().filter((check) => check !== findLogGaps)
  const progress = openProgress('checks of counters', all.length)
  const faults: string[] = []
  try {
    for (const [done, check] of all.entries()) {
      progress.report(done)
      faults.push(...(await engine.snapshot(check)))
    }
  } finally {
    progress.end()
  }
  if (faults.length === 0) return [pass('counters', 'all correct')]
  const advice = 'Something else wrote to the database, or this is a bug: please report it.'
  return showSome('counters', faults, advice)
}

async function checkSearchIndex(engine: Engine, openProgress: OpenProgress): Promise<Finding[]> {
  const faults = await compareIndex((work) => engine.snapshot(work), openProgress)
  const { isBuilt, remaining } = await engine.read(findBuildState)
  if (faults.length > 0) return showSome('search index', faults, INDEX_ADVICE)
  return [pass('search index', isBuilt ? 'holds every record' : `${remaining} records are still to be indexed`)]
}

async function checkAdmins(db: Reader): Promise<Finding[]> {
  const without = await listWithoutAdmin(db)
  if (without.length === 0) return [pass('admins', 'every workspace has one')]
  return without.map(({ slug }) =>
    fail(
      'admins',
      `nobody can manage the workspace ${slug}`,
      `Run \`parley member add --role admin --workspace ${slug} --email … --name …\`.`,
    ),
  )
}

async function checkLinks(db: Reader, now: number): Promise<Finding[]> {
  const lost = await countLostLinks(db, now)
  if (lost === 0) return [pass('sign-in links', 'none expired unused')]
  return [pass('sign-in links', `${lost} expired unused; \`parley member link --email …\` creates a new one`)]
}

async function checkClock(db: Reader, now: number): Promise<Finding[]> {
  const newest = await findNewestEvent(db)
  if (newest <= now + MAX_CLOCK_DIFFERENCE_MS) return [pass('clock', new Date(now).toISOString())]
  const message = `it is ${new Date(now).toISOString()} on this machine, but the latest change is from ${new Date(newest).toISOString()}`
  return [fail('clock', message, 'Set the clock of this machine, or of the one that made the change.')]
}
