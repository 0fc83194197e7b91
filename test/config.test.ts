import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config'
import { settings } from '../src/config/settings'

const refusal = (env: Record<string, string>): string => {
  try {
    readConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It was taken.')
}

describe('the settings', () => {
  test('have defaults, also for empty values', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      port: 3000,
      host: 'localhost',
      databaseUrl: 'sqlite:./data/parley.db',
      rateLimit: 100,
      anonymousRateLimit: 20,
      streamLimit: 50,
      streamTotal: 5000,
      trustedProxies: [],
      logLevel: 'info',
      adminEmail: 'admin@example.com',
    })
    expect(config.publicUrl).toBeUndefined()
    expect(readConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, ' '])))).toEqual(config)
  })

  test('put files next to the SQLite database, into a folder, or into S3', () => {
    const keys = { S3_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
    const filesUrl = (env: Record<string, string>) => readConfig({ ...keys, ...env }).filesUrl
    expect(filesUrl({})).toBe('file:data/files')
    expect(filesUrl({ DATABASE_URL: 'sqlite:/var/lib/parley/parley.db' })).toBe('file:/var/lib/parley/files')
    expect(filesUrl({ DATABASE_URL: 'postgres://u:p@db/parley' })).toBe('file:data/files')
    const s3 = 's3://bucket/some/prefix?endpoint=https://s3.example.com&region=eu'
    for (const url of ['/srv/files', 'file:/srv/files', 'file:///srv/files', 's3://bucket', s3])
      expect(filesUrl({ FILES_URL: url })).toBe(url)
    for (const url of [
      's3://',
      's3://key:secret@bucket',
      's3://bucket/a b',
      's3://bucket?endpoint=ftp://x',
      'gs://bucket',
    ])
      expect(refusal({ ...keys, FILES_URL: url })).toContain('FILES_URL=')
    expect(refusal({ FILES_URL: s3 })).toContain('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required')
  })

  test('are read', () => {
    expect(
      readConfig({
        PORT: '0',
        HOST: '::1',
        DATABASE_URL: 'postgres://u:p@db:5432/parley',
        PUBLIC_URL: 'https://parley.example.com/',
        RATE_LIMIT: '0',
        TRUSTED_PROXIES: '10.0.0.0/8, ::1',
        LOG_LEVEL: 'silent',
        LOG_FORMAT: 'text',
        WORKSPACE_NAME: ' Our place ',
        ADMIN_EMAIL: 'Ada@Example.com',
      }),
    ).toMatchObject({
      port: 0,
      host: '::1',
      databaseUrl: 'postgres://u:p@db:5432/parley',
      publicUrl: 'https://parley.example.com',
      rateLimit: 0,
      trustedProxies: ['10.0.0.0/8', '::1'],
      logLevel: 'silent',
      logFormat: 'text',
      workspaceName: 'Our place',
      adminEmail: 'ada@example.com',
    })
  })

  test('PUBLIC_URL is kept as an origin', () => {
    for (const text of ['https://x.example', 'https://x.example/', 'HTTPS://X.example:443', 'https://x.example?'])
      expect(readConfig({ PUBLIC_URL: text }).publicUrl).toBe('https://x.example')
    expect(readConfig({ PUBLIC_URL: 'http://localhost:8080/' }).publicUrl).toBe('http://localhost:8080')
  })

  const wrong: Record<string, string[]> = {
    PORT: ['-1', '65536', '80a', '3e3', '0x50', '1.5'],
    HOST: ['1.2.3', '*', '1.2.3.4.5', 'http://localhost', 'a b', 'localhost:3000', '-x', 'x..y', '[::1]'],
    DATABASE_URL: ['parley.db', 'sqlite:', 'mysql://u@h/d', 'postgres://host', 'postgres://host/', 'file:x'],
    DATABASE_POOL: ['0', '1001', 'many'],
    PUBLIC_URL: [
      'parley.example.com',
      'ftp://x',
      'https://x/?a=1',
      'https://x/#a',
      'https://u:p@x',
      'https://x/path',
      '//x',
    ],
    RATE_LIMIT: ['-1', 'off', '1.5', '1000001'],
    ANONYMOUS_RATE_LIMIT: ['-1', 'off'],
    STREAM_LIMIT: ['-1', 'many'],
    STREAM_TOTAL: ['-1', '1000001'],
    TRUSTED_PROXIES: ['localhost', '10.0.0.0/33', '10.0.0.0/8;::1'],
    LOG_LEVEL: ['verbose', 'INFO'],
    LOG_FORMAT: ['xml'],
    WORKSPACE_NAME: ['x'.repeat(101)],
    ADMIN_EMAIL: ['admin', 'a b@c', '@'],
  }
  test.each(Object.entries(wrong))('an invalid %s is refused, with the valid values', (name, values) => {
    for (const value of values) {
      const message = refusal({ [name]: value })
      expect(message).toStartWith(`${name}=`)
      expect(message).toContain((settings as Record<string, { expects: string }>)[name]!.expects)
      expect(message).not.toContain('\n')
    }
  })

  test('are all named in one error if several are invalid', () => {
    const message = refusal(Object.fromEntries(Object.entries(wrong).map(([name, [value]]) => [name, value!])))
    expect(
      message
        .split('\n')
        .map((line) => line.split('=')[0]!)
        .toSorted(),
    ).toEqual(Object.keys(wrong).toSorted())
  })

  test('do not show what is given for a secret that is a URL, if it is none', () => {
    for (const name of ['SMTP_URL', 'DATABASE_URL'])
      for (const value of ['parley:hunter2@mail.example.com', 'smtp:parley:hunter2@mail', 'hunter2@h'])
        expect(refusal({ [name]: value })).toStartWith(`${name}=*** is not valid`)
  })

  test.each([
    'mysql://u:hunter2@h/d',
    'postgres://u:hunter2@h',
    'postgres://u:p@hunter2@h/',
    'postgres://u:a/hunter2@h',
    'postgres://:hunter2@h/',
    'https://u:hunter2@h',
  ])('do not show the password in %s', (url) => {
    for (const name of ['DATABASE_URL', 'PUBLIC_URL', 'SMTP_URL']) {
      const message = refusal({ [name]: url })
      expect(message).not.toContain('hunter2')
      expect(message).toContain('***')
    }
  })
})

describe('secrets from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileWith = (content: string | Uint8Array, name = 'secret') => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const secrets: Record<string, string> = {
    DATABASE_URL: 'postgres://u:p@db:5432/parley',
    S3_ACCESS_KEY_ID: 'a-key',
    S3_SECRET_ACCESS_KEY: 'a-secret',
    S3_SESSION_TOKEN: 'a-token',
    SECRET_KEY: 'k'.repeat(32),
    METRICS_TOKEN: 't'.repeat(32),
    SMTP_URL: 'smtp://u:p@mail.example.com:587',
  }

  test('every setting that is a secret can be in a file, and no other', () => {
    const marked = Object.entries(settings).filter(([, { isSecret }]) => isSecret)
    expect(marked.map(([name]) => name)).toEqual(Object.keys(secrets))
    const others = { MAIL_FROM: 'parley@example.com', FILES_URL: 's3://bucket' }
    const files = Object.entries(secrets).map(([name, value], at) => [
      `${name}_FILE`,
      ` ${fileWith(value + ['', '\n', '\r\n'][at % 3], name)} `,
    ])
    expect(readConfig({ ...others, ...Object.fromEntries(files) })).toEqual(readConfig({ ...others, ...secrets }))
    expect(readConfig({ PORT_FILE: fileWith('4000') }).port).toBe(3000)
  })

  test('an empty value is none, so that a file can be given beside it', () => {
    const file = fileWith(`${secrets.SECRET_KEY}\n`)
    expect(readConfig({ SECRET_KEY: '', SECRET_KEY_FILE: file }).secretKey).toBe(secrets.SECRET_KEY)
    expect(readConfig({ SECRET_KEY: secrets.SECRET_KEY, SECRET_KEY_FILE: ' ' }).secretKey).toBe(secrets.SECRET_KEY)
  })

  test.each(Object.keys(secrets))('%s and its file together are refused', (name) => {
    const message = refusal({ [name]: secrets[name]!, [`${name}_FILE`]: fileWith(secrets[name]!) })
    expect(message).toBe(`${name} and ${name}_FILE are both set. Set only one of them.`)
  })

  test('a file that cannot be used is refused, by its name and the setting, without its content', () => {
    const said = (path: string, name = 'SECRET_KEY') => {
      const message = refusal({ [`${name}_FILE`]: path })
      expect(message).toStartWith(`${name}_FILE=${path}`)
      expect(message).not.toMatch(/hunter2|\n/)
      return message
    }
    expect(said(join(folder, 'none'))).toEndWith('cannot be read: no such file or folder.')
    expect(said(folder)).toEndWith('is not a file.')
    expect(said('/dev/zero')).toEndWith('is not a file.')
    expect(said(fileWith(' \n'))).toEndWith('is empty.')
    expect(said(fileWith(`hunter2${'x'.repeat(30)}\nhunter2`))).toContain('more than one line')
    expect(said(fileWith(`hunter2${'x'.repeat(70_000)}`))).toEndWith('is larger than 64 kB.')
    expect(said(fileWith(new Uint8Array(40).fill(200)))).toContain('is not text')
    expect(said(fileWith('hunter2'))).toContain('does not contain a valid value: expected at least 32 characters')
    for (const url of ['mysql://u:hunter2@h/d', 'postgres://u:hunter2@h', 'hunter2'])
      expect(said(fileWith(url), 'DATABASE_URL')).toContain('does not contain a valid value: expected `sqlite:<path>`')
    if (process.getuid?.() === 0) return
    chmodSync(fileWith(secrets.SECRET_KEY!), 0)
    expect(said(join(folder, 'secret'))).toEndWith('cannot be read: permission denied.')
  })

  test('a file counts before the variables of AWS', () => {
    const env = {
      FILES_URL: 's3://bucket',
      AWS_ACCESS_KEY_ID: 'theirs',
      AWS_SECRET_ACCESS_KEY: 'theirs',
      AWS_REGION: 'eu-1',
    }
    expect(readConfig(env).s3).toMatchObject({ accessKeyId: 'theirs', secretAccessKey: 'theirs', region: 'eu-1' })
    const { s3 } = readConfig({ ...env, S3_SECRET_ACCESS_KEY_FILE: fileWith('ours'), S3_REGION: 'eu-2' })
    expect(s3).toMatchObject({ accessKeyId: 'theirs', secretAccessKey: 'ours', region: 'eu-2' })
  })
})
