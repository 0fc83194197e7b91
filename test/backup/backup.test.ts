import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parley, start } from '../command'
import { engineUnderTest } from '../server'
import { waitUntil } from '../torture/child'
import { expectNothingLost, load } from '../torture/load'
import {
  backup,
  contentOf,
  expectDone,
  expectRefused,
  expectSound,
  fileOf,
  leftovers,
  openTestDatabases,
  restore,
  serveAgain,
  serveNew,
  write,
} from './backups'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)

const isSqlite = engineUnderTest === 'sqlite'
const databases = openTestDatabases()
afterEach(databases.clear)

const modeOf = (file: string) => statSync(file).mode & 0o777

/** Kills a backup in the middle; on a busy machine one may be done before that. */
async function killBackup(url: string, file: string) {
  do {
    rmSync(file, { force: true })
    const child = start(['backup', file], { DATABASE_URL: url })
    while (leftovers(file).length === 0 && child.exitCode === null) await Bun.sleep(1)
    child.kill('SIGKILL')
    await child.exited
  } while (existsSync(file))
}

describe('a backup', () => {
  test('made under load contains everything acknowledged before', async () => {
    const server = await serveNew(databases)
    const file = databases.newFile()
    const work = load(server.child, server.admin, server.channel_id)
    await waitUntil(() => work.state.done.length > 200)
    const before = [...work.state.done]
    const { stdout } = await expectDone(backup(server.url, file))
    const during = work.state.done.length - before.length
    const { refused } = await work.stop()
    expect(refused).toEqual([])
    expect(during).toBeGreaterThan(0)
    expect(stdout).toMatch(/^Wrote .+parley\.backup: [\d.]+ [kM]B in [\d.]+ s\.\n$/)
    expect([modeOf(file), leftovers(file)]).toEqual([0o600, []])

    const url = await databases.newUrl()
    await expectDone(restore(url, file))
    if (isSqlite) expect(modeOf(fileOf(url))).toBe(0o600)
    await expectNothingLost(url, before)
    await expectSound(url)
    const again = await serveAgain(databases, url, server.token)
    expect((await again.admin.posts.list()).total_count).toBeGreaterThanOrEqual(before.length)
    expect((await write(again, 'After the restore')).title).toBe('After the restore')
    expect((await again.admin.members.list({ q: 'admin@exa' })).total_count).toBe(1)
    expect((await contentOf(url)).wrong).toEqual([])
  })

  test('can be made without a server', async () => {
    const server = await serveNew(databases)
    await write(server, 'Before')
    await server.child.stop()
    const [file, url] = [databases.newFile(), await databases.newUrl()]
    await expectDone(backup(server.url, file))
    await expectDone(restore(url, file))
    expect(await contentOf(url)).toEqual(await contentOf(server.url))
    expect((await contentOf(url)).titles.at(-1)).toBe('Before')
  })

  test('does not replace a file without --force, and never the database', async () => {
    const server = await serveNew(databases)
    const file = databases.newFile()
    writeFileSync(file, 'precious')
    await expectRefused(backup(server.url, file), /already exists.*--force/)
    expect(await Bun.file(file).text()).toBe('precious')
    await expectDone(backup(server.url, file, ['--force']))
    expect(statSync(file).size).toBeGreaterThan(10_000)
    expect(modeOf(file)).toBe(0o600)
    if (isSqlite)
      for (const own of ['', '-wal', '-shm'])
        await expectRefused(backup(server.url, fileOf(server.url) + own, ['--force']), /is part of the database itself/)
    const folder = join(dirname(file), 'folder')
    mkdirSync(folder)
    await expectRefused(backup(server.url, folder, ['--force']), /is not a file/)
    await expectRefused(backup(server.url, join(folder, 'none', 'file')), /There is no folder/)
  })

  test('of a missing database is refused', async () => {
    const file = databases.newFile()
    await expectRefused(backup(databases.newSqliteUrl(), file), /There is no database/)
    const empty = await databases.newUrl()
    if (isSqlite) writeFileSync(fileOf(empty), '')
    await expectRefused(backup(empty, file), /nothing to back up/)
    expect(existsSync(file)).toBe(false)
  })

  test('that is killed leaves no complete-looking file', async () => {
    const server = await serveNew(databases)
    const file = databases.newFile()
    await expectDone(parley(['seed', '--posts', '5000'], { DATABASE_URL: server.url }))
    await killBackup(server.url, file)
    expect(existsSync(file)).toBe(false)
    expect(leftovers(file)).not.toEqual([])
    await expectDone(backup(server.url, file))
    expect(leftovers(file)).toEqual([])
    await expectDone(restore(await databases.newUrl(), file))
  })

  test('that runs out of disk space fails and leaves nothing', async () => {
    const server = await serveNew(databases)
    const file = databases.newFile()
    // A process that may not write files beyond a size meets what a full disk says.
    const limited = `trap '' XFSZ; ulimit -f 64; exec "$0" src/start.ts backup "$1"`
    const child = Bun.spawn(['sh', '-c', limited, process.execPath, file], {
      env: { PATH: process.env.PATH!, HOME: process.env.HOME!, DATABASE_URL: server.url },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect([await child.exited, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^parley: .*disk/)
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+|this is a bug/)
    expect([existsSync(file), leftovers(file)]).toEqual([false, []])
  })
})
