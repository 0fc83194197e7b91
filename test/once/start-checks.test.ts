import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ofCompose } from '../../src/cli/start-checks'
import { heedingPermissions, parley, serve } from '../command'
import { projectRoot, read } from '../documents'

// Each server is a separate process.
setDefaultTimeout(300_000)

const folder = mkdtempSync(join(tmpdir(), 'parley-start-checks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newFolder = () => mkdtempSync(join(folder, 'x-'))
const newDatabase = () => ({ DATABASE_URL: `sqlite:${join(newFolder(), 'parley.db')}` })

/** The messages of the warnings in a log. */
const warnings = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 'warn')
    .map(({ message }) => message as string)

async function logOf(env: Record<string, string>) {
  const server = await serve({ ...newDatabase(), ...env }, /\/docs\n/)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  return server.log()
}

describe('FILES_URL', () => {
  const plain = join(newFolder(), 'plain')
  writeFileSync(plain, '')

  test.each([
    ['is a file', plain, 'not a folder'],
    ['is below a file', join(plain, 'files'), 'not a folder'],
    ['cannot be created', '/proc/parley/files', 'no such file or folder'],
  ])('that %s ends the start, with one line that says so', async (_, path, reason) => {
    for (const args of [['serve'], ['serve', '--workers', '2']]) {
      const env = { ...newDatabase(), PORT: '0', FILES_URL: `file:${path}` }
      const { code, stdout, stderr } = await parley(args, env)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toStartWith(`parley: FILES_URL: uploaded files cannot be written to ${path}`)
      expect(stderr).toContain(reason)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })

  test('that this user may not write ends the start', async () => {
    const path = newFolder()
    mkdirSync(join(path, 'files'), { mode: 0o500 })
    const env = { ...newDatabase(), PORT: '0', FILES_URL: join(path, 'files') }
    const { code, stderr } = await parley(['serve'], env, heedingPermissions)
    expect([code, stderr]).toEqual([1, expect.stringContaining('permission denied')])
  })

  test('next to a database that cannot be created leaves the message to the database', async () => {
    const { code, stderr } = await parley(['serve'], { DATABASE_URL: 'sqlite:/proc/nowhere/parley.db', PORT: '0' })
    expect(code).toBe(1)
    expect(stderr).toContain('/proc/nowhere')
    expect(stderr).not.toContain('FILES_URL')
  })

  const mount = newFolder()
  const inNamespace = (script: string) => ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o nr_inodes=2 none ${script}`]
  const canMount = Bun.which('unshare') && Bun.spawnSync(inNamespace(mount)).exitCode === 0
  test.skipIf(!canMount)('on a full disk is a warning: what is there can be read', async () => {
    const run = `"${mount}" && touch "${mount}/a" && exec "${process.execPath}" src/start.ts serve`
    const env = { ...newDatabase(), PORT: '0', HOST: '127.0.0.1', LOG_FORMAT: 'json', FILES_URL: mount }
    const child = Bun.spawn(inNamespace(run), {
      cwd: projectRoot,
      env: { PATH: process.env.PATH!, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk)
      if (printed.includes('/docs\n')) break
    }
    child.kill('SIGTERM')
    expect(warnings(await new Response(child.stderr).text())).toEqual([
      expect.stringMatching(/^Uploaded files cannot be written to .*: the disk is full\. Uploads are refused until/),
    ])
    expect(await child.exited).toBe(0)
  })

  test('in S3 that does not answer is a warning, and the server is ready', async () => {
    const keys = { S3_ACCESS_KEY_ID: 'hunter1', S3_SECRET_ACCESS_KEY: 'hunter2' }
    const env = { ...newDatabase(), ...keys, FILES_URL: 's3://bucket/files?endpoint=http://127.0.0.1:1' }
    const server = await serve(env, /\/docs\n/)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    const reader = server.child.stderr.getReader()
    let log = ''
    while (!log.includes('"warn"')) log += new TextDecoder().decode((await reader.read()).value)
    expect(warnings(log)).toEqual([
      expect.stringMatching(/^Uploaded files cannot be written to s3:\/\/bucket\/files.*Uploads are refused until/),
    ])
    expect(log).not.toContain('hunter')
    reader.releaseLock()
    expect(await server.stop()).toBe(0)
  })
})

describe('unknown settings', () => {
  const inFolder = async (dotenv: string, args: string[], env: Record<string, string> = {}) => {
    const cwd = newFolder()
    writeFileSync(join(cwd, '.env'), dotenv)
    const child = Bun.spawn([process.execPath, join(projectRoot, 'src/start.ts'), ...args], {
      cwd,
      env: { PATH: process.env.PATH!, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    for await (const chunk of child.stdout) {
      stdout += new TextDecoder().decode(chunk)
      if (stdout.includes('/docs\n')) child.kill('SIGTERM')
    }
    return { stdout, stderr: await new Response(child.stderr).text(), code: await child.exited, cwd }
  }
  const dotenv = [
    '# RATE_LIMIT_OLD=1',
    'PORT=0',
    'LOG_FORMAT=json',
    'RATE_LIMTI=5',
    'export public_url = http://localhost',
    'MAIL_SERVER="hunter2',
    'INSIDE_A_VALUE=hunter2"',
    'SECRET_KEY_FIEL=/run/secrets/key',
    'TZ=UTC',
    'COMPOSE_PROJECT_NAME=x',
    'PARLEY_PORT=80',
    'POSTGRES_PASSWORD=hunter2',
    'AWS_PROFILE=x',
  ].join('\n')
  const said =
    'RATE_LIMTI (did you mean RATE_LIMIT?), public_url (did you mean PUBLIC_URL?), MAIL_SERVER, SECRET_KEY_FIEL (did you mean SECRET_KEY_FILE?)'

  test('in .env are a warning at the start, with the nearest setting', async () => {
    for (const args of [['serve'], ['serve', '--workers', '2']]) {
      const { stderr, code, cwd } = await inFolder(dotenv, args)
      // A worker may have to start again, if another process took its port meanwhile.
      const aboutSettings = warnings(stderr).filter((warning) => warning.includes('settings'))
      expect(aboutSettings).toEqual([`The file .env contains unknown settings, which are ignored: ${said}.`])
      expect(stderr).not.toContain('hunter2')
      expect(code).toBe(0)
      // The known ones count.
      expect(existsSync(join(cwd, 'data/parley.db'))).toBe(true)
    }
  })

  test('in .env are named by doctor, and no problem', async () => {
    const { stdout } = await inFolder(dotenv, ['doctor'])
    expect(stdout).toContain(
      `✓ settings: all valid. The file .env contains unknown settings, which are ignored: ${said}`,
    )
  })

  test('in the environment are a warning only if they look misspelled', async () => {
    const env = { DATABSE_URL: 'postgres://u:hunter2@h/d', FOO_BAR: '1', DATABASE_NAME: 'x', POST: '1', HOSTS: 'x' }
    const log = await logOf(env)
    expect(warnings(log)).toEqual([
      'The environment contains unknown settings, which are ignored: DATABSE_URL (did you mean DATABASE_URL?).',
    ])
    expect(log).not.toContain('hunter2')
    expect(warnings(await logOf({}))).toEqual([])
  })

  test('are not the variables of the compose files', () => {
    const text = read('compose.yaml') + read('compose.postgres.yaml')
    const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
    expect(ofCompose).toEqual(expect.arrayContaining(used.filter((name) => /^(PARLEY|POSTGRES)_/.test(name))))
  })
})
