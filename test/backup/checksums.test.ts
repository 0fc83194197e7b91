import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { layoutOf } from '../../src/store/backup/appended-files'
import { verifyBackup } from '../../src/store/backup/checksums'
import { noProgress } from '../../src/store/engines/engine'
import { openEngine } from '../../src/store/open'
import { parley, start } from '../command'
import { engineUnderTest } from '../server'
import {
  backup,
  contentOf,
  expectDone,
  expectRefused,
  fileOf,
  openTestDatabases,
  restore,
  serveNew,
  withoutChecksums,
} from './backups'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)

const isSqlite = engineUnderTest === 'sqlite'
const databases = openTestDatabases()
afterEach(databases.clear)

const verify = (file: string) => parley(['backup', 'verify', file])

/** A backup of a server with posts, a file and a secret key, and the database it was made from, which no server uses any more. */
async function backedUp() {
  const folder = join(databases.newFolder(), 'files')
  const env = { FILES_URL: `file:${folder}` }
  const { admin, channel_id, child, url } = await serveNew(databases, env)
  const bytes = randomBytes(200_000)
  const { id } = await admin.files.upload({ file: new Blob([bytes]), name: 'plan.pdf' })
  await admin.posts.create({ channel_id, title: 'The plan', content_markdown: `[plan](${id})` })
  for (let number = 0; number < 20; number++)
    await admin.posts.create({ channel_id, content_markdown: `Post ${number}. ${'Many words. '.repeat(300)}` })
  await child.stop()
  const file = databases.newFile()
  const { stdout } = await expectDone(backup(url, file, [], env))
  return { url, file, env, folder, bytes, stdout }
}

/** All bytes that a restore could change. */
async function stateOf(url: string, folder: string) {
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : []
  if (!isSqlite) return { files, content: await contentOf(url) }
  const beside = readdirSync(dirname(fileOf(url))).sort()
  return { files, beside, hashes: beside.map((name) => hash(join(dirname(fileOf(url)), name))) }
}

/** Where in a backup a page of this table or index begins. */
function pageOf(file: string, name: string): number {
  const database = new Database(file, { readonly: true })
  const { pageno, pgsize } = database
    .query<{ pageno: number; pgsize: number }, [string]>(
      'SELECT pageno, pgsize FROM dbstat WHERE name = ? ORDER BY pageno DESC LIMIT 1',
    )
    .get(name)!
  database.close()
  return (pageno - 1) * pgsize
}

const flip = (bytes: Buffer, at: number) => {
  const changed = Buffer.from(bytes)
  changed[at < 0 ? bytes.length + at : at]! ^= 1 << (Math.abs(at) % 8)
  return changed
}

const verifying = (file: string) => verifyBackup(file, noProgress)

describe('a backup', () => {
  test('with one changed bit is refused, with the name of what is damaged, and nothing is changed', async () => {
    const { url, file, env, bytes } = await backedUp()
    const whole = readFileSync(file)
    const folder = join(databases.newFolder(), 'files')
    const there = { ...env, FILES_URL: `file:${folder}` }
    const { stdout } = await expectDone(verify(file))
    expect(stdout).toMatch(/^Verified .+parley\.backup: [\d.]+ MB in [\d.]+ s\. It is undamaged\.\nMade at .+ on /)
    expect(stdout.includes('the secret key')).toBe(isSqlite)

    const posts = pageOf(file, 'posts')
    const places: [number, RegExp][] = [
      [0, /: the header of the database and its list of tables\. Use another one\.$/],
      [18, /: the header of the database and its list of tables\./],
      [pageOf(file, 'sqlite_schema') + 4_000, /: the header of the database and its list of tables\./],
      [posts + 1, /: the table posts\./],
      [posts + 4_000, /: the table posts\./],
      [pageOf(file, 'posts_id') + 3_000, /: an index of the table posts\./],
      [whole.indexOf('Many words.'), /: the table \w+\./],
      [
        pageOf(file, 'backup_info') + 4_000,
        /: the table backup_info, with the time of the backup and, .+, the secret key\./,
      ],
      [whole.indexOf(bytes.subarray(0, 32)) + 100_000, /: the uploaded file “plan\.pdf” \(object ws_\S+\)\./],
      [-200, /: its checksums,/],
      [-64, /: its checksums,/],
      [-40, /: its checksums,/],
      [-1, /: its checksums,/],
    ]
    for (const [at, words] of places) {
      writeFileSync(file, flip(whole, at))
      await expect(verifying(file)).rejects.toThrow(words)
    }
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 150)) {
      writeFileSync(file, flip(whole, at))
      await expect(verifying(file)).rejects.toThrow(/is damaged: /)
    }

    const before = await stateOf(url, folder)
    for (const [at, words] of [places[4]!, places[8]!, places[10]!]) {
      writeFileSync(file, flip(whole, at))
      const inOneLine = new RegExp(words.source.replace(/\$$/, ''))
      await expectRefused(restore(url, file, ['--force'], there), inOneLine)
      await expectRefused(verify(file), inOneLine)
    }
    expect(await stateOf(url, folder)).toEqual(before)
  })

  test('that was cut off or extended is refused', async () => {
    const { file } = await backedUp()
    const whole = readFileSync(file)
    const { databaseBytes, checksums } = layoutOf(file)
    for (const end of [whole.length - 1, whole.length - 64, checksums!.start + 100, checksums!.start, databaseBytes]) {
      writeFileSync(file, whole.subarray(0, end))
      await expect(verifying(file)).rejects.toThrow(
        /is damaged: its checksums, .+ It was cut off, extended or changed\./,
      )
    }
    for (const more of [Buffer.of(0), Buffer.alloc(4_096), whole.subarray(-64), whole.subarray(-24)]) {
      writeFileSync(file, Buffer.concat([whole, more]))
      await expect(verifying(file)).rejects.toThrow(/is damaged: its checksums/)
    }
    // Two parts are exchanged, and one is missing in the middle.
    const half = databaseBytes / 2
    writeFileSync(
      file,
      Buffer.concat([whole.subarray(half, databaseBytes), whole.subarray(0, half), whole.subarray(databaseBytes)]),
    )
    await expect(verifying(file)).rejects.toThrow(/is damaged: the header of the database/)
    writeFileSync(file, Buffer.concat([whole.subarray(0, databaseBytes), whole.subarray(databaseBytes + 4_096)]))
    await expect(verifying(file)).rejects.toThrow(/is damaged/)
    for (const end of [databaseBytes - 4_096, 4_096, 600]) {
      writeFileSync(file, whole.subarray(0, end))
      await expectRefused(verify(file), /damaged|Cannot read|not a backup/)
    }
  })

  test('is not changed by a file beside it that looks like its WAL', async () => {
    const { url, env } = await backedUp()
    const [file, other] = [databases.newFile(), databases.newFile()]
    await expectDone(backup(url, file, ['--without-files'], env))
    copyFileSync(file, other)
    const database = new Database(other)
    database.run('PRAGMA journal_mode = WAL')
    database.run("UPDATE posts SET title = replace(title, 'The plan', 'Another plan')")
    copyFileSync(`${other}-wal`, `${file}-wal`)
    database.close()
    const target = await databases.newUrl()
    await expectDone(restore(target, file, [], env))
    const { titles } = await contentOf(target)
    expect(titles).toContain('The plan')
    expect(titles).not.toContain('Another plan')
  })

  test('of an older Parley is restored with a warning that it cannot be verified', async () => {
    const { file, env, folder } = await backedUp()
    const before = statSync(file).size
    withoutChecksums(file)
    expect(statSync(file).size).toBeLessThan(before)
    const noChecksums = /cannot be verified: it was made by Parley \S+, which wrote backups without checksums/
    await expectRefused(verify(file), noChecksums)
    const there = { ...env, FILES_URL: `file:${join(databases.newFolder(), 'files')}` }
    const { stdout, stderr } = await expectDone(restore(await databases.newUrl(), file, [], there))
    expect(stderr).toContain('Warning: the backup could not be verified: it was made by Parley')
    expect(stdout).toContain(': 1.\n')
    expect(readdirSync(folder).length).toBeGreaterThan(0)
  })

  test('that is larger than memory may become is verified in bounded memory, and says which files were damaged before', async () => {
    const { url, env, folder } = await backedUp()
    const [object] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('-'))
    const size = 400_000_000
    const engine = openEngine(url)
    await engine.write(async (db) => {
      await db.updateTable('blobs').set({ size }).execute()
      await db.updateTable('files').set({ name: 'plan\u001b[2J\n.pdf' }).execute()
    })
    await engine.close()
    truncateSync(join(folder, object!), size)
    const file = databases.newFile()
    const { stderr } = await expectDone(backup(url, file, [], env))
    expect(stderr).toContain('because they are missing or damaged')
    const child = start(['backup', 'verify', file], {})
    const said = await new Response(child.stdout).text()
    expect(await child.exited).toBe(0)
    expect(said).toContain('already damaged when the backup was made, and cannot be restored: 1.')
    expect(statSync(file).size).toBeGreaterThan(size)
    expect(child.resourceUsage()!.maxRSS).toBeLessThan(size / 2)

    const handle = openSync(file, 'r+')
    writeSync(handle, 'x', layoutOf(file).databaseBytes + size - 1)
    closeSync(handle)
    // The name of a file may be anything. On a terminal it must be nothing but a name.
    await expect(verifying(file)).rejects.toThrow(/is damaged: the uploaded file “plan\?\[2J\?\.pdf” \(object ws_/)
  })
})
