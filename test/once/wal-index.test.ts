import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/engines/sqlite'
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

/** Whether the version is another one afterwards. */
async function changes(deed: () => unknown): Promise<boolean> {
  const before = engine.version()
  await deed()
  return engine.version() !== before
}

test('the version changes with every commit, whoever makes it, and with nothing else', async () => {
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
    // What is the same on disk is a commit all the same.
    expect(await changes(() => other.run("UPDATE notes SET text = 'other'"))).toBe(true)
    if (round % 7 === 3) other.run('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  expect(await changes(() => elsewhere("INSERT INTO notes VALUES ('from another process')"))).toBe(true)
  other.close()
})

const isLinux = process.platform === 'linux'

test('on Linux the version is read from memory, by whichever way the database is reached', () => {
  const link = join(folder, 'link')
  symlinkSync(folder, link)
  for (const way of [path, join(link, 'parley.db')]) expect(walIndexVersion(way) !== undefined).toBe(isLinux)
})

// Elsewhere the WAL index is not looked at.
if (isLinux)
  test('SQLite keeps its locks', () => {
    // Were they gone, another process would take itself for the only one and start the WAL index anew.
    const { ino } = statSync(`${path}-shm`)
    expect(readFileSync('/proc/locks', 'utf8')).toMatch(new RegExp(`${process.pid} \\S*:${ino}\\b`))
  })
