import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/engines/sqlite/open'
import { walIndexVersion } from '../../src/store/engines/wal-index'

const folder = mkdtempSync(join(tmpdir(), 'parley-test-'))
const path = join(folder, 'parley.db')
const engine = openSqlite(path)
afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

const elsewhere = (sql: string) => {
  const script = `const { Database } = await import('bun:sqlite'); const d = new Database(${JSON.stringify(path)}); d.run(${JSON.stringify(sql)}); d.close()`
  expect(Bun.spawnSync([process.execPath, '-e', script]).exitCode).toBe(0)
}

/** Whether the version changes. */
async function changes(action: () => unknown): Promise<boolean> {
  const before = engine.version()
  await action()
  return engine.version() !== before
}

test('the version changes with every commit of any process, and with nothing else', async () => {
  elsewhere('CREATE TABLE notes (text TEXT)')
  const other = new Database(path)
  for (let round = 0; round < 20; round++) {
    expect(await changes(() => {})).toBe(false)
    expect(await changes(() => other.query('SELECT count(*) FROM notes').get())).toBe(false)
    expect(
      await changes(() =>
        engine.read((db) =>
          db
            .selectFrom('notes' as 'users')
            .selectAll()
            .execute(),
        ),
      ),
    ).toBe(false)
    expect(await changes(() => other.run("BEGIN; INSERT INTO notes VALUES ('never'); ROLLBACK"))).toBe(false)
    expect(await changes(() => other.run("INSERT INTO notes VALUES ('the same')"))).toBe(true)
    // An update to the same values is a commit, too.
    expect(await changes(() => other.run("UPDATE notes SET text = 'other'"))).toBe(true)
    if (round % 7 === 3) other.run('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  expect(await changes(() => elsewhere("INSERT INTO notes VALUES ('from another process')"))).toBe(true)
  other.close()
})

const isLinux = process.platform === 'linux'

test('on Linux the version is read from memory, also through a symbolic link', () => {
  const link = join(folder, 'link')
  symlinkSync(folder, link)
  for (const way of [path, join(link, 'parley.db')]) expect(walIndexVersion(way) !== undefined).toBe(isLinux)
})

// Other systems do not read the WAL index.
if (isLinux)
  test('SQLite keeps its locks', () => {
    // Without the locks, another process would reset the WAL index.
    const { ino } = statSync(`${path}-shm`)
    expect(readFileSync('/proc/locks', 'utf8')).toMatch(new RegExp(`${process.pid} \\S*:${ino}\\b`))
  })
