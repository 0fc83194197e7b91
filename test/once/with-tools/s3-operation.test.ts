import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readConfig } from '../../../src/config'
import { openStorage } from '../../../src/files/open'
import { backup, expectDone, openTestDatabases, restore } from '../../backup/backups'
import { createClient } from '../../client'
import { parley } from '../../command'
import { picture } from '../../me/pictures'
import { KEYS, type S3Server, startS3 } from './s3-server'

// Commands are processes of their own.
setDefaultTimeout(300_000)

const databases = openTestDatabases()
let s3: S3Server
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(async () => {
  await databases.clear()
  await s3?.close()
})

const text = (words: string) => new Blob([words], { type: 'text/plain' })

/** A server whose files are in S3. */
async function home(prefix: string) {
  const url = await databases.newUrl()
  const env = { FILES_URL: s3.urlOf(prefix), ...KEYS }
  const child = await databases.start(url, env)
  const token = await child.firstToken()
  const admin = createClient({ baseUrl: child.url, token, retries: 0 })
  return { url, env, child, token, admin }
}

test('files and pictures in S3 are backed up, restored into S3, and checked by doctor', async () => {
  const { url, env, admin } = await home('first')
  const { id } = await admin.files.upload({ file: text('words'), name: 'words.txt' })
  await admin.me.setAvatar({ file: await picture() })
  const file = databases.newFile()
  await expectDone(backup(url, file, [], env))

  const target = await databases.newUrl()
  const there = { FILES_URL: s3.urlOf('second'), ...KEYS }
  const { stdout } = await expectDone(restore(target, file, [], there))
  expect(stdout).toMatch(/Uploaded files copied to s3:\S+: 2\./)
  expect(stdout).not.toContain(KEYS.S3_SECRET_ACCESS_KEY)
  const doctor = () => parley(['doctor', '--files'], { DATABASE_URL: target, ...there })
  expect((await doctor()).stdout).toContain('✓ files: 2 stored, all read and undamaged')

  const storage = openStorage(readConfig(there))
  const [object] = await Array.fromAsync(storage.list())
  await storage.delete(object!.object)
  const { code, stdout: found } = await doctor()
  expect(code).toBe(1)
  expect(found).toContain(`✗ files: the object ${object!.object} of `)
  expect(await (await admin.files.content({ id })).text()).toBe('words')
})

test('while S3 is down, the server is ready and refuses files with 503; then it goes on by itself', async () => {
  const { child, admin } = await home('third')
  const { id } = await admin.files.upload({ file: text('kept'), name: 'kept.txt' })
  await admin.me.setAvatar({ file: await picture() })
  const { xl } = (await admin.me.get()).author.avatar_urls
  const refused = { code: 'storage_unavailable' }
  await s3.stop()
  try {
    expect((await fetch(`${child.url}/readyz`)).status).toBe(200)
    await expect(admin.files.upload({ file: text('new') })).rejects.toMatchObject(refused)
    await expect(admin.files.content({ id })).rejects.toMatchObject(refused)
    await expect(admin.me.setAvatar({ file: await picture('webp') })).rejects.toMatchObject(refused)
    expect((await fetch(xl)).status).toBe(503)
    const channel_id = (await admin.channels.list()).data[0]!.id
    await admin.posts.create({ channel_id, content_markdown: 'People write on.' })
  } finally {
    await s3.start()
  }
  expect(await (await admin.files.content({ id })).text()).toBe('kept')
  expect((await fetch(xl)).status).toBe(200)
  await admin.files.upload({ file: text('new') })
})
