import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openFolder } from '../../src/files/folder'
import { openBackup } from '../../src/store/backup/file'
import type { Engine } from '../../src/store/engines/engine'
import { parley, start } from '../command'
import { startTestServer } from '../server'
import { inDatabase, waitUntil } from '../torture/child'
import {
  backup,
  expectDone,
  expectRefused,
  fileOf,
  leftovers,
  openTestDatabases,
  restore,
  withoutChecksums,
} from './backups'

// Commands are processes of their own.
setDefaultTimeout(300_000)

const databases = openTestDatabases()
afterEach(databases.clear)

const DAY_MS = 24 * 60 * 60_000

/** A running server whose files are in a folder. */
async function home() {
  const url = await databases.newUrl()
  const folder = join(databases.newFolder(), 'files')
  const server = await startTestServer({ DATABASE_URL: url, FILES_URL: `file:${folder}` }, { clock: Date.now })
  const { engine } = server.parley
  return { url, folder, env: { FILES_URL: `file:${folder}` }, engine, add: addTo(engine, folder) }
}

/** Stores a file as an upload does. */
const addTo = (engine: Engine, folder: string) => async (name: string, bytes: Buffer) => {
  const hash = createHash('sha256').update(bytes).digest('hex')
  const object = await engine.write(async (db) => {
    const { key, id } = await db.selectFrom('workspaces').select(['key', 'id']).executeTakeFirstOrThrow()
    const author = await db.selectFrom('authors').select('key').executeTakeFirstOrThrow()
    const blob = { workspace_key: key, hash, object: `${id}/${hash.slice(0, 2)}/${hash}-abcdefgh`, size: bytes.length }
    const { key: blob_key } = await db
      .insertInto('blobs')
      .values({ ...blob, created_at: Date.now() })
      .returning('key')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('files')
      .values({
        id: `file_${name.replace(/\W/g, '')}`,
        workspace_key: key,
        author_key: author.key,
        blob_key,
        name,
        content_type: 'text/plain',
        size: bytes.length,
        created_at: Date.now(),
      } as never)
      .execute()
    await db
      .updateTable('workspaces')
      .set((eb) => ({ files_bytes: eb('files_bytes', '+', bytes.length) }))
      .execute()
    return blob.object
  })
  await openFolder(folder).write(object, bytes)
  return object
}

const doctor = (url: string, env: Record<string, string>, ...flags: string[]) =>
  parley(['doctor', ...flags], { DATABASE_URL: url, ...env })
const linesOn = (text: string, what: string) => text.split('\n').filter((line) => line.slice(2).startsWith(what))

describe('a backup with files', () => {
  test('holds every file, and a restore puts missing files into the storage', async () => {
    const { url, env, add } = await home()
    const [large, empty] = [randomBytes(3_000_001), Buffer.alloc(0)]
    const objects = [await add('large.bin', large), await add('empty.txt', empty)]
    const file = databases.newFile()
    await expectDone(backup(url, file, [], env))
    expect(statSync(file).size).toBeGreaterThan(large.length)

    const [target, folder] = [await databases.newUrl(), join(databases.newFolder(), 'files')]
    const there = { FILES_URL: `file:${folder}` }
    await openFolder(folder).write(objects[1]!, empty)
    const { stdout } = await expectDone(restore(target, file, [], there))
    expect(stdout).toContain(`Uploaded files copied to file:${folder}: 1.`)
    expect(readFileSync(join(folder, objects[0]!))).toEqual(large)
    expect(statSync(join(folder, objects[1]!)).size).toBe(0)
    if (target.startsWith('sqlite:')) expect(statSync(fileOf(target)).size).toBeLessThan(large.length)
    expect(await inDatabase(target, (db) => db.selectFrom('backup_holds').selectAll().execute())).toEqual([])
    expect(linesOn((await doctor(target, there, '--files')).stdout, 'files:')).toEqual([
      '✓ files: 2 stored, all read and undamaged',
    ])
  })

  test('and without checksums is refused if it was cut off, and damaged files in it are reported', async () => {
    const { url, env, add } = await home()
    const bytes = randomBytes(10_000)
    await add('a.bin', bytes)
    const file = databases.newFile()
    await expectDone(backup(url, file, [], env))
    withoutChecksums(file)
    const whole = readFileSync(file)
    const there = () => ({ FILES_URL: `file:${join(databases.newFolder(), 'files')}` })

    truncateSync(file, whole.length - 5_000)
    await expectRefused(restore(await databases.newUrl(), file, [], there()), /some of its uploaded files are cut off/)

    whole[whole.indexOf(bytes.subarray(0, 32))]! ^= 1
    writeFileSync(file, whole)
    const { stdout } = await expectDone(restore(await databases.newUrl(), file, [], there()))
    expect(stdout).toMatch(/Uploaded files missing in file:.+: 1 \(a\.bin\)\./)
  })

  test('leaves files out with --without-files, and the restore says which are missing', async () => {
    const { url, env, add } = await home()
    await add('plan.pdf', randomBytes(100_000))
    const file = databases.newFile()
    const { stderr } = await expectDone(backup(url, file, ['--without-files'], env))
    expect(stderr).toContain('The backup does not contain uploaded files.')
    const target = await databases.newUrl()
    const there = { FILES_URL: `file:${join(databases.newFolder(), 'files')}` }
    const { stdout } = await expectDone(restore(target, file, [], there))
    expect(stdout).toMatch(/missing in .+, because the backup does not contain files: 1 \(plan\.pdf\)\./)
  })

  test('that is killed leaves no incomplete file, and stops deletions only for a few minutes', async () => {
    const { url, env, add, engine } = await home()
    await add('a', randomBytes(1_000))
    const file = databases.newFile()
    // The backup is still running when it is killed: this storage never answers.
    const storage = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) })
    const running = start(['backup', file], {
      DATABASE_URL: url,
      FILES_URL: `s3://files?endpoint=http://127.0.0.1:${storage.port}`,
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'b',
    })
    const holds = () => engine.read((db) => db.selectFrom('backup_holds').selectAll().execute())
    await waitUntil(async () => (await holds()).length === 1)
    running.kill('SIGKILL')
    await running.exited
    await storage.stop(true)
    expect(existsSync(file)).toBe(false)
    const [hold] = await holds()
    expect(hold!.until).toBeGreaterThan(Date.now() + 60_000)
    expect(hold!.until).toBeLessThan(Date.now() + 6 * 60_000)

    await expectDone(backup(url, file, [], env))
    expect(leftovers(file)).toEqual([])
    expect(await holds()).toEqual([hold!])
    const database = openBackup(file)
    expect(database.query('SELECT count(*) AS count FROM backup_holds').get()).toEqual({ count: 0 })
    database.close()
  })
})

describe('doctor', () => {
  test('reports missing, wrong, damaged and stray objects, and a storage that cannot be used', async () => {
    const { url, folder, env, add, engine } = await home()
    const [missing, short, damaged] = await Promise.all(
      ['missing', 'short', 'damaged'].map((name) => add(name, Buffer.from(name.repeat(100)))),
    )
    rmSync(join(folder, missing!))
    truncateSync(join(folder, short!), 7)
    const bytes = readFileSync(join(folder, damaged!))
    bytes[0]! ^= 1
    writeFileSync(join(folder, damaged!), bytes)
    const stray = async (name: string, age: number) => {
      const path = join(folder, 'ws_1/ab', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'x')
      utimesSync(path, new Date(Date.now() - age), new Date(Date.now() - age))
    }
    await stray('old', 3 * DAY_MS)
    await stray('new', DAY_MS)
    await engine.write((db) =>
      db
        .insertInto('stray_objects')
        .values({ object: 'ws_1/ab/gone', delete_after: Date.now() - 2 * DAY_MS })
        .execute(),
    )

    const { code, stdout } = await doctor(url, env, '--files')
    const faults = linesOn(stdout, 'files:').map((line) => line.split('. → ')[0])
    expect(code).toBe(1)
    expect(faults.toSorted()).toEqual(
      [
        `✗ files: the object ${missing} of file_missing is missing`,
        `✗ files: the object ${short} of file_short has 7 bytes, but should have 500`,
        `✗ files: the object ${damaged} of file_damaged is damaged`,
        '✗ files: no file or picture uses the object ws_1/ab/old',
        '✗ files: objects that should already have been deleted: 1',
      ].toSorted(),
    )
    expect(linesOn((await doctor(url, env)).stdout, 'files:').join()).not.toContain('is damaged')

    writeFileSync(join(dirname(folder), 'a-file'), '')
    const unusable = await doctor(url, { FILES_URL: `file:${join(dirname(folder), 'a-file')}` })
    expect(linesOn(unusable.stdout, 'files:')[0]).toMatch(/cannot be used: .+ → Check FILES_URL/)
  })
})
