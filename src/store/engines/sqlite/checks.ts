import { statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { DAMAGE_ADVICE, type Finding, fail, INDEX_ADVICE, pass } from '../damage'
import type { Engine } from '../engine'

const MIN_FREE_BYTES = 256 * 1024 * 1024
const SYNCHRONOUS_FULL = 2

/** Whether the file is written safely, and has room to grow. */
export async function checkSqlite(engine: Engine): Promise<Finding[]> {
  return [await checkSafety(engine), checkRoom(engine.location), checkAccess(engine.location)]
}

/** Whether the file is sound: its pages, and in a full check that every index agrees with its table. */
export async function checkSqliteData(engine: Engine, isFull: boolean): Promise<Finding[]> {
  const check = isFull ? 'integrity_check' : 'quick_check'
  const found = await engine.read((db) =>
    db
      .selectFrom(
        sql<{ fault: string }>`(SELECT ${sql.ref(check)} AS fault FROM ${sql.table(`pragma_${check}`)} LIMIT 5)`.as(
          'faults',
        ),
      )
      .select('fault')
      .execute(),
  )
  const faults = found.map(({ fault }) => fault.replaceAll('\n', ' ')).filter((fault) => fault !== 'ok')
  if (faults.length === 0) return [pass('file', `PRAGMA ${check} finds it sound`)]
  const ofIndex = faults.filter(isOfSearchIndex)
  if (ofIndex.length === faults.length)
    return [fail('search index', `it is damaged: ${ofIndex.join('; ')}`, INDEX_ADVICE)]
  return [fail('file', `it is damaged: ${faults.join('; ')}`, DAMAGE_ADVICE)]
}

const isOfSearchIndex = (fault: string) => fault.includes('FTS5 table main.search_index')

async function checkSafety(engine: Engine): Promise<Finding> {
  // How safely it is written is a matter of the connection that writes.
  const mode = await engine.migrate((db) =>
    db
      .selectFrom(
        sql<{ journal_mode: string; synchronous: number }>`(SELECT journal_mode, synchronous
          FROM pragma_journal_mode, pragma_synchronous)`.as('mode'),
      )
      .selectAll()
      .executeTakeFirstOrThrow(),
  )
  const message = `journal_mode=${mode.journal_mode}, synchronous=${mode.synchronous}`
  return mode.journal_mode === 'wal' && mode.synchronous >= SYNCHRONOUS_FULL
    ? pass('durability', `${message}: a write that was answered is on disk`)
    : fail('durability', message, 'Put the database on a local disk: network file systems do not support WAL.')
}

function checkRoom(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  const message = `${megabytes(free)} free, the database takes ${megabytes(statSync(path).size)}`
  return free >= MIN_FREE_BYTES
    ? pass('disk', message)
    : fail('disk', message, `Make room: below ${megabytes(MIN_FREE_BYTES)} writes may soon be refused.`)
}

const OTHERS_READ = 0o004
const OTHERS_ENTER = 0o001

/** Whether other users of the machine can read the database, or the key of its secrets. */
function checkAccess(path: string): Finding {
  const files = [path, `${path}-wal`, `${path}-shm`, join(dirname(path), 'secret.key')]
  const isOpen = foldersOf(path).every((folder) => modeOf(folder) & OTHERS_ENTER)
  const open = files.filter((file) => isOpen && modeOf(file) & OTHERS_READ)
  if (open.length === 0) return pass('access', 'other users of this machine cannot read the files')
  return fail(
    'access',
    `every user of this machine can read ${open.join(', ')}`,
    `Run \`chmod 600 ${open.join(' ')}\`.`,
  )
}

function foldersOf(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersOf(folder)]
}

const modeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0

const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576).toLocaleString('en')} MB`
