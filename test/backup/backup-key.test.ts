import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { engineUnderTest } from '../server'
import {
  backup,
  expectDone,
  expectRefused,
  expectSound,
  fileOf,
  openTestDatabases,
  restore,
  serveAgain,
  serveNew,
} from './backups'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)

const SECRET_KEY = 'a key of this test, which is long enough to be one'
const databases = openTestDatabases()
afterEach(databases.clear)

const keyBeside = (url: string) => join(dirname(fileOf(url)), 'secret.key')

/** A backup of a server with a webhook, whose secret is encrypted. */
async function withWebhook(env: Record<string, string> = {}) {
  const server = await serveNew(databases, env)
  await server.admin.webhooks.create({ url: 'https://example.com/hook' })
  const file = databases.newFile()
  const { stderr } = await expectDone(backup(server.url, file, [], env))
  return { ...server, file, said: stderr }
}

describe('the secret key', () => {
  test('that is a setting is not in the backup, with a warning', async () => {
    const env = { SECRET_KEY }
    const { file, token, said } = await withWebhook(env)
    expect(said).toContain('The backup does not contain the secret key, which is set by SECRET_KEY.')
    expect(readFileSync(file).includes(SECRET_KEY)).toBe(false)
    const url = await databases.newUrl()
    const { stdout } = await expectDone(restore(url, file))
    expect(stdout).toContain('The webhooks need their original secret key: set SECRET_KEY')
    expect((await expectDone(restore(url, file, ['--force'], env))).stdout).not.toContain('SECRET_KEY')
    await expectSound(url, env)
    await serveAgain(databases, url, token, env)
  })

  if (engineUnderTest === 'sqlite') {
    test('in a file is in the backup, and restored next to the database', async () => {
      const { file, token, url: source, said } = await withWebhook()
      const key = readFileSync(keyBeside(source), 'utf8')
      expect(said).toContain('The backup contains the secret key')
      const url = databases.newSqliteUrl()
      const { stdout } = await expectDone(restore(url, file))
      expect(stdout).toContain(`The secret key is in ${keyBeside(url)}.`)
      expect(readFileSync(keyBeside(url), 'utf8')).toBe(key)
      expect(statSync(keyBeside(url)).mode & 0o777).toBe(0o600)
      // In the file of the backup, and not in that of the database.
      expect(readFileSync(file).includes(key.trim())).toBe(true)
      expect(readFileSync(fileOf(url)).includes(key.trim())).toBe(false)
      await expectSound(url)
      await serveAgain(databases, url, token)
    })

    test('does not replace another one without --force', async () => {
      const { file, url: source } = await withWebhook()
      const url = databases.newSqliteUrl()
      writeFileSync(keyBeside(url), 'another key\n')
      await expectRefused(restore(url, file), /different secret key in .*secret\.key.*--force/)
      expect(await Bun.file(fileOf(url)).exists()).toBe(false)
      expect(readFileSync(keyBeside(url), 'utf8')).toBe('another key\n')
      await expectDone(restore(url, file, ['--force']))
      expect(readFileSync(keyBeside(url), 'utf8')).toBe(readFileSync(keyBeside(source), 'utf8'))
    })

    test('can be written to another file', async () => {
      const { file, token, url: source } = await withWebhook()
      const url = databases.newSqliteUrl()
      const { stdout } = await expectDone(restore(url, file, [], { SECRET_KEY }))
      expect(stdout).toContain('restore with --key-file PATH to extract it, and set SECRET_KEY to it')
      const keyFile = join(databases.newFolder(), 'key')
      await expectDone(restore(url, file, ['--force', '--key-file', keyFile], { SECRET_KEY }))
      expect(statSync(keyFile).mode & 0o777).toBe(0o600)
      const key = readFileSync(keyFile, 'utf8')
      expect(key).toBe(readFileSync(keyBeside(source), 'utf8'))
      await serveAgain(databases, url, token, { SECRET_KEY: key.trim() })
    })
  }
})
