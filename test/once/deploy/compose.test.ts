import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/config'
import { settings } from '../../../src/config/settings'
import { projectRoot, read } from '../../documents'

setDefaultTimeout(300_000)

interface Service {
  image: string
  ports?: string[]
  environment: Record<string, string>
  [setting: string]: unknown
}

/** A compose file, with what its services extend. */
function servicesOf(file: string): Record<string, Service> {
  const { services } = Bun.YAML.parse(read(file)) as { services: Record<string, Service> }
  return Object.fromEntries(
    Object.entries(services).map(([name, { extends: from, ...service }]) => {
      if (!from) return [name, service as Service]
      const { file: other, service: base } = from as { file: string; service: string }
      const above = servicesOf(other)[base]!
      return [name, { ...above, ...service, environment: { ...above.environment, ...service.environment } } as Service]
    }),
  )
}

/** The text with what these variables say, which may be nested; throws where a required one is missing, as Compose does. */
const interpolated = (text: string, variables: Record<string, string>): string => {
  const resolved = text.replace(/\$\{(\w+)(?::([-?])([^{}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = variables[name]
    if (!value && kind === '?') throw new Error(`${name}: ${rest}`)
    return value || (kind === '-' ? rest : '')
  })
  return resolved === text ? text : interpolated(resolved, variables)
}

const environmentOf = (service: Service, variables: Record<string, string>) =>
  Object.fromEntries(Object.entries(service.environment).map(([name, text]) => [name, interpolated(text, variables)]))

/** What the image sets, and the published port belongs to. */
const OF_THE_IMAGE = ['PORT', 'HOST']
/** What goes with FILES_URL, and is no setting of its own. */
const OF_S3 = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'S3_SESSION_TOKEN', 'S3_REGION']

const files = ['compose.yaml', 'compose.postgres.yaml']
const everyService = files.flatMap((file) =>
  Object.entries(servicesOf(file)).map(([name, service]) => ({ name: `${name} of ${file}`, service })),
)

describe('compose', () => {
  test.each(files)('%s starts one server, on one loopback port', (file) => {
    const services = Object.values(servicesOf(file))
    expect(services.filter(({ image }) => image === 'parley')).toHaveLength(1)
    const ports = services.flatMap(({ ports: published = [] }) => published)
    expect(ports.map((port) => interpolated(port, {}))).toEqual(['127.0.0.1:3000:3000'])
  })

  test.each(everyService)('$name has minimal privileges', ({ service }) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: expect.arrayContaining(['/tmp']),
      restart: 'unless-stopped',
    })
    expect(service.privileged).toBeUndefined()
    if (service.image === 'parley') expect(service).toMatchObject({ user: '10001:10001' })
    if (service.image === 'parley') expect(service.cap_add).toBeUndefined()
  })

  test('no secret has a default', () => {
    for (const file of files)
      for (const [, name, value] of read(file).matchAll(/\$\{(\w*(?:PASSWORD|KEY|TOKEN)):-([^}]*)\}/g))
        expect([file, name, value]).toEqual([file, name, ''])
    expect(read('compose.postgres.yaml')).not.toMatch(/:-parley/)
  })

  test('on PostgreSQL, the error about a missing password or key says what to do', () => {
    const { parley, postgres } = servicesOf('compose.postgres.yaml') as { parley: Service; postgres: Service }
    expect(() => environmentOf(parley, { SECRET_KEY: 'k' })).toThrow(/POSTGRES_PASSWORD.*openssl rand/)
    expect(() => environmentOf(parley, { POSTGRES_PASSWORD: 'x' })).toThrow(/SECRET_KEY.*openssl rand/)
    expect(() => environmentOf(postgres, {})).toThrow(/POSTGRES_PASSWORD/)
    expect(postgres.healthcheck).toBeObject()
    expect(parley.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  })

  test.each(files)('the settings in %s are valid', (file) => {
    const variables = { POSTGRES_PASSWORD: 'f00', SECRET_KEY: 'k'.repeat(64) }
    const environment = environmentOf(servicesOf(file).parley!, variables)
    const { databaseUrl } = readConfig({ DATABASE_URL: 'sqlite:/data/parley.db', ...environment })
    expect(databaseUrl).toBe(
      file === 'compose.yaml' ? 'sqlite:/data/parley.db' : 'postgres://parley:f00@postgres:5432/parley',
    )
  })
})

describe.each(files)('the settings that %s passes', (file) => {
  const required = { POSTGRES_PASSWORD: 'f00', SECRET_KEY: 'k'.repeat(64) }
  const service = servicesOf(file).parley!
  const isPostgres = file === 'compose.postgres.yaml'

  test('are all settings except the settings of the image', () => {
    const all = new Set([...Object.keys(settings), ...OF_S3]).difference(new Set(OF_THE_IMAGE))
    expect(Object.keys(service.environment).toSorted()).toEqual([...all].toSorted())
  })

  test('have the values of .env', () => {
    const own = isPostgres ? ['DATABASE_URL'] : []
    const given = Object.fromEntries(Object.keys(service.environment).map((name) => [name, `value of ${name}`]))
    const environment = environmentOf(service, { ...required, ...given })
    for (const name of Object.keys(given)) if (!own.includes(name)) expect(environment[name]).toBe(`value of ${name}`)
  })

  test('are as if not set where .env has no value, or an empty one', () => {
    const inImage = { DATABASE_URL: 'sqlite:/data/parley.db', HOST: '::', LOG_FORMAT: 'json' }
    const read = (variables: Record<string, string>) =>
      readConfig({ ...inImage, ...environmentOf(service, { ...variables, ...required }) })
    const names = [...Object.keys(service.environment), 'PARLEY_PORT', 'PARLEY_ADDRESS']
    const unset = read({})
    expect(read(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(unset)
    expect(unset).toMatchObject({
      ...{ port: 3000, host: '::', publicUrl: 'http://localhost:3000', logFormat: 'json' },
      ...{ fileMaxMegabytes: 100, workspaceName: 'Home', adminEmail: 'admin@example.com' },
      databaseUrl: isPostgres ? 'postgres://parley:f00@postgres:5432/parley' : 'sqlite:/data/parley.db',
    })
  })

  test('contain a PUBLIC_URL with the published port', () => {
    const variables = { ...required, PARLEY_PORT: '8080' }
    expect(environmentOf(service, variables).PUBLIC_URL).toBe('http://localhost:8080')
    expect(service.ports!.map((port) => interpolated(port, variables))).toEqual(['127.0.0.1:8080:3000'])
    const PUBLIC_URL = 'https://parley.example.com'
    expect(environmentOf(service, { ...variables, PUBLIC_URL }).PUBLIC_URL).toBe(PUBLIC_URL)
  })

  test('leave time to drain', () =>
    expect(Number.parseInt(String(service.stop_grace_period), 10)).toBeGreaterThanOrEqual(
      readConfig(environmentOf(service, required)).drainSeconds + 20,
    ))
})

describe('the image', () => {
  const lines = read('Dockerfile').split('\n')

  test('runs as the user of the compose files, with a health check', () => {
    expect(lines).toContain('USER 10001:10001')
    expect(read('Dockerfile')).toContain('groupadd --gid 10001')
    expect(read('Dockerfile')).toContain('useradd --uid 10001 --gid 10001')
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK .*CMD \["parley", "health"\]$/m)
  })

  test('builds from the copied files, which .dockerignore includes', async () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1))
    const allowed = read('.dockerignore').split('\n').filter(Boolean)
    expect(allowed[0]).toBe('*')
    expect(allowed.slice(1).toSorted()).toEqual(copied.map((path) => `!${path}`).toSorted())

    const folder = mkdtempSync(join(tmpdir(), 'parley-image-'))
    for (const path of copied) cpSync(join(projectRoot, path), join(folder, path), { recursive: true })
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
    await Bun.$`${process.execPath} scripts/compile.ts`.cwd(folder).quiet()
    const built = join(
      folder,
      lines
        .find((line) => line.includes('--from=build'))!
        .split(' ')[2]!
        .replace('/src/', ''),
    )
    expect(existsSync(built)).toBe(true)
    expect(await Bun.$`${built} --version`.text()).toMatch(/^\d+\.\d+\.\d+\n$/)
    rmSync(folder, { recursive: true })
  })
})
