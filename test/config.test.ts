import { describe, expect, test } from 'bun:test'
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

  test.each([
    'mysql://u:hunter2@h/d',
    'postgres://u:hunter2@h',
    'postgres://u:p@hunter2@h/',
    'postgres://u:a/hunter2@h',
    'postgres://:hunter2@h/',
    'https://u:hunter2@h',
  ])('do not show the password in %s', (url) => {
    for (const name of ['DATABASE_URL', 'PUBLIC_URL']) {
      const message = refusal({ [name]: url })
      expect(message).not.toContain('hunter2')
      expect(message).toContain('***')
    }
  })
})
