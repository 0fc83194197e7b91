import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config'
import { secretFileNames } from '../../src/config/environment'
import { parley, serve } from '../command'
import { read } from '../documents'

// Each server and each command is a separate process.
setDefaultTimeout(300_000)

const folder = mkdtempSync(join(tmpdir(), 'parley-secret-files-'))
const fileWith = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const token = 'm'.repeat(40)
let env: Record<string, string>

beforeAll(() => {
  env = {
    DATABASE_URL_FILE: fileWith('database', `sqlite:${join(folder, 'parley.db')}\n`),
    SECRET_KEY_FILE: fileWith('key', `${'k'.repeat(40)}\n`),
    METRICS_TOKEN_FILE: fileWith('token', `${token}\n`),
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

test('the server and the commands read secrets from files', async () => {
  const server = await serve(env, /\/docs\n/)
  const metrics = (bearer: string) =>
    fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${bearer}`, 'X-Forwarded-For': '203.0.113.9' } })
  expect((await metrics(token)).status).toBe(200)
  expect((await metrics('x'.repeat(40))).status).toBe(401)
  const checked = await parley(['doctor'], env)
  expect(checked.stdout).toContain('✓ secret key: it decrypts every secret')
  expect(checked.code).toBe(0)
  expect((await parley(['workspace', 'list'], env)).stdout).toContain('home')
  expect(await server.stop()).toBe(0)
  expect(JSON.stringify([server.printed, await server.log(), checked])).not.toMatch(/k{40}|m{40}/)
})

test('a file that cannot be read, or a value beside it, is one line and exit code 1, for every command', async () => {
  for (const [command, more] of [
    ['serve', { SECRET_KEY_FILE: join(folder, 'none') }],
    ['serve', { SECRET_KEY: 'hunter2'.repeat(6) }],
    ['migrate', { DATABASE_URL: 'postgres://u:hunter2@h/d' }],
    ['backup', { METRICS_TOKEN_FILE: fileWith('short', 'hunter2') }],
    // The secret itself, where the name of its file belongs.
    ['serve', { SMTP_URL_FILE: 'smtp://ada:hunter2@mail.example.com', MAIL_FROM: 'parley@example.com' }],
    ['serve', { SECRET_KEY_FILE: 'hunter2'.repeat(6) }],
    // A password with a slash in it, which is not encoded.
    ['migrate', { DATABASE_URL: 'postgres://ada:12/hunter2@db/parley', DATABASE_URL_FILE: '' }],
    ['serve', { SMTP_URL: 'smtp://ada:25/hunter2@mail.example.com', MAIL_FROM: 'parley@example.com' }],
    ['serve', { SMTP_URL: 'smtp://ada:25#hunter2@mail.example.com', MAIL_FROM: 'parley@example.com' }],
  ] as const) {
    const args = command === 'backup' ? [command, join(folder, 'x.backup')] : [command]
    const { code, stdout, stderr } = await parley(args, { ...env, ...more })
    expect([command, code, stdout]).toEqual([command, 1, ''])
    const [name] = Object.keys(more)
    expect(stderr).toMatch(new RegExp(`^parley: [^\n]*${name}[^\n]*\n$`))
    expect(stderr).not.toContain('hunter2')
  }
})

test('the documents name every such variable, and the example for Compose is valid', () => {
  const guide = read('docs/self-hosting.md')
  const [, section] = guide.match(/^### Secrets in files\n(.*?)^##/ms)!
  const listed = section!.split('```')[0]!.match(/`\w+_FILE`/g)!
  expect(listed.map((name) => name.slice(1, -1))).toEqual([...secretFileNames])

  const [, yaml] = section!.match(/^```yaml\n(.*?)^```$/ms)!
  const { services, secrets } = Bun.YAML.parse(yaml!) as {
    services: { parley: { environment: Record<string, string>; secrets: string[] } }
    secrets: Record<string, { file: string }>
  }
  expect(services.parley.secrets.toSorted()).toEqual(Object.keys(secrets).toSorted())
  const files = Object.entries(services.parley.environment).filter(([name]) => secretFileNames.includes(name))
  expect(files.map(([, path]) => path).toSorted()).toEqual(
    Object.keys(secrets)
      .map((name) => `/run/secrets/${name}`)
      .toSorted(),
  )
  const values: Record<string, string> = {
    DATABASE_URL_FILE: 'postgres://u:p@db/parley',
    SECRET_KEY_FILE: 'k'.repeat(32),
    SMTP_URL_FILE: 'smtp://u:p@mail.example.com',
  }
  const mounted = files.map(([name, path]) => [name, fileWith(path.replaceAll('/', '-'), values[name]!)])
  // What the image sets.
  const image = { DATABASE_URL: 'sqlite:/data/parley.db' }
  const config = readConfig({ ...image, ...services.parley.environment, ...Object.fromEntries(mounted) })
  expect(config).toMatchObject({ databaseUrl: values.DATABASE_URL_FILE, secretKey: values.SECRET_KEY_FILE })
})
