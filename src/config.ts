import { isIP } from 'node:net'
import { hideSecrets, type LogLevel, logLevels } from './log'
import { isNetwork } from './networks'
import { StartError } from './store/engines/start-error'

export interface Config {
  port: number
  host: string
  databaseUrl: string
  databasePool: number
  /** Where people reach the service; undefined until the port is known. */
  publicUrl: string | undefined
  rateLimit: number
  anonymousRateLimit: number
  streamLimit: number
  streamTotal: number
  cacheMegabytes: number
  trustedProxies: string[]
  /** What opens /metrics from other machines; undefined where the operator gave none. */
  metricsToken: string | undefined
  /** What secrets are encrypted with; undefined where the operator gave none. */
  secretKey: string | undefined
  webhookNetworks: string[]
  webhookTimeoutSeconds: number
  eventRetentionDays: number
  logLevel: LogLevel
  logFormat: 'json' | 'text'
  workspaceName: string
  adminEmail: string
}

interface Setting<T> {
  help: string
  fallback: string
  read(text: string): T | undefined
  /** What would be right, for the error. */
  expects: string
}

const setting = <T>(definition: Setting<T>) => definition

/** Every setting there is: its environment variable, what it does, what it may be. */
export const settings = {
  PORT: setting({
    help: 'The port to listen on; 0 takes a free one.',
    fallback: '3000',
    expects: 'a whole number from 0 to 65535',
    read: (text) => wholeNumber(text, 0, 65_535),
  }),
  HOST: setting({
    help: 'The address to listen on: an IP address or a name. `localhost` is this machine alone; `0.0.0.0` is every IPv4 address it has, `::` every IPv6 address too.',
    fallback: 'localhost',
    expects: 'an IP address or the name of one',
    read: (text) => (isIP(text) || isHostName(text) ? text.toLowerCase() : undefined),
  }),
  DATABASE_URL: setting({
    help: '`sqlite:<path>` or `postgres://user:password@host:5432/database`.',
    fallback: 'sqlite:./data/parley.db',
    expects: '`sqlite:<path>` or a `postgres://` URL with a database name',
    read: (text) => (isDatabaseUrl(text) ? text : undefined),
  }),
  DATABASE_POOL: setting({
    help: 'How many connections to PostgreSQL to keep at most.',
    fallback: '10',
    expects: 'a whole number from 1 to 1000',
    read: (text) => wholeNumber(text, 1, 1_000),
  }),
  PUBLIC_URL: setting<string | undefined>({
    help: 'Where people reach the service, as in https://parley.example.com. Default: http://localhost:<PORT>.',
    fallback: '',
    expects: 'an http or https URL with nothing after the host',
    read: readPublicUrl,
  }),
  RATE_LIMIT: setting({
    help: 'Requests a second for each token, twice that at once; 0 turns the limit off.',
    fallback: '100',
    expects: 'a whole number from 0 to 1000000',
    read: (text) => wholeNumber(text, 0, 1_000_000),
  }),
  ANONYMOUS_RATE_LIMIT: setting({
    help: 'Requests a second without a valid token for each client address, five times that at once; 0 turns this limit and that of sign-in attempts off.',
    fallback: '20',
    expects: 'a whole number from 0 to 1000000',
    read: (text) => wholeNumber(text, 0, 1_000_000),
  }),
  STREAM_LIMIT: setting({
    help: 'Live streams and waiting polls that one member or app may have open; 0 turns the limit off.',
    fallback: '50',
    expects: 'a whole number from 0 to 1000000',
    read: (text) => wholeNumber(text, 0, 1_000_000),
  }),
  STREAM_TOTAL: setting({
    help: 'Live streams and waiting polls that may be open in each process; 0 turns the limit off.',
    fallback: '5000',
    expects: 'a whole number from 0 to 1000000',
    read: (text) => wholeNumber(text, 0, 1_000_000),
  }),
  CACHE_MB: setting({
    help: 'How many megabytes of what was read before to keep in memory, about.',
    fallback: '256',
    expects: 'a whole number from 0 to 65536',
    read: (text) => wholeNumber(text, 0, 65_536),
  }),
  TRUSTED_PROXIES: setting({
    help: 'Addresses or networks (CIDR), comma-separated, whose X-Forwarded-For is believed.',
    fallback: '',
    expects: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    read: readNetworks,
  }),
  SECRET_KEY: setting<string | undefined>({
    help: 'Encrypts webhook secrets. On PostgreSQL, webhooks need it. Default on SQLite: kept in the file secret.key beside the database.',
    fallback: '',
    expects: 'at least 32 characters, for instance from `openssl rand -base64 32`',
    read: (text) => (text.length >= 32 ? text : undefined),
  }),
  METRICS_TOKEN: setting<string | undefined>({
    help: 'Opens /metrics from other machines, as a Bearer token. Without it, only this machine may read them.',
    fallback: '',
    expects: 'at least 32 characters without spaces, for instance from `openssl rand -hex 32`',
    read: (text) => (/^[\x21-\x7e]{32,}$/.test(text) ? text : undefined),
  }),
  EVENT_RETENTION_DAYS: setting({
    help: 'How long events and deliveries are kept.',
    fallback: '30',
    expects: 'a whole number from 1 to 3650',
    read: (text) => wholeNumber(text, 1, 3_650),
  }),
  WEBHOOK_NETWORKS: setting({
    help: 'Networks (CIDR), comma-separated, that webhooks may reach though they are not public.',
    fallback: '',
    expects: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    read: readNetworks,
  }),
  WEBHOOK_TIMEOUT_SECONDS: setting({
    help: 'How long a receiver of webhooks may take to answer.',
    fallback: '15',
    expects: 'a whole number from 1 to 60',
    read: (text) => wholeNumber(text, 1, 60),
  }),
  LOG_LEVEL: setting({
    help: `How much to log: ${logLevels.join(', ')}.`,
    fallback: 'info',
    expects: `one of ${logLevels.join(', ')}`,
    read: (text) => logLevels.find((level) => level === text),
  }),
  LOG_FORMAT: setting({
    help: '`json`, `text`, or `auto`: text in a terminal, JSON elsewhere.',
    fallback: 'auto',
    expects: '`json`, `text` or `auto`',
    read: (text) => (['json', 'text', 'auto'].includes(text) ? text : undefined),
  }),
  WORKSPACE_NAME: setting({
    help: 'The name of the workspace that the first start makes.',
    fallback: 'Home',
    expects: '1 to 100 characters',
    read: (text) => (text.trim() && text.length <= 100 ? text.trim() : undefined),
  }),
  ADMIN_EMAIL: setting({
    help: 'The e-mail address of the admin that the first start makes.',
    fallback: 'admin@example.com',
    expects: 'an e-mail address',
    read: (text) => (/^[^@\s]+@[^@\s]+$/.test(text) ? text.toLowerCase() : undefined),
  }),
}

/** The settings, or one error that names each wrong one. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const wrong: string[] = []
  const value = <N extends keyof typeof settings>(name: N) => {
    const { fallback, expects, read } = settings[name] as Setting<unknown>
    const text = env[name]?.trim() || fallback
    const result = read(text)
    if (result === undefined && text !== '')
      wrong.push(`${name}=${printable(name, text)} is wrong: expected ${expects}.`)
    return result as NonNullable<ReturnType<(typeof settings)[N]['read']>>
  }
  const format = value('LOG_FORMAT')
  const config: Config = {
    port: value('PORT'),
    host: value('HOST'),
    databaseUrl: value('DATABASE_URL'),
    databasePool: value('DATABASE_POOL'),
    publicUrl: value('PUBLIC_URL'),
    rateLimit: value('RATE_LIMIT'),
    anonymousRateLimit: value('ANONYMOUS_RATE_LIMIT'),
    streamLimit: value('STREAM_LIMIT'),
    streamTotal: value('STREAM_TOTAL'),
    cacheMegabytes: value('CACHE_MB'),
    trustedProxies: value('TRUSTED_PROXIES') ?? [],
    secretKey: value('SECRET_KEY'),
    metricsToken: value('METRICS_TOKEN'),
    webhookNetworks: value('WEBHOOK_NETWORKS') ?? [],
    webhookTimeoutSeconds: value('WEBHOOK_TIMEOUT_SECONDS'),
    eventRetentionDays: value('EVENT_RETENTION_DAYS'),
    logLevel: value('LOG_LEVEL'),
    logFormat: format === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : format === 'json' ? 'json' : 'text',
    workspaceName: value('WORKSPACE_NAME'),
    adminEmail: value('ADMIN_EMAIL'),
  }
  if (wrong.length > 0) throw new StartError(wrong.join('\n'))
  return config
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : undefined
}

/** A name with a letter in its last part; without one, it is an address that is wrong. */
const isHostName = (text: string) =>
  text.length <= 253 &&
  /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*(?=[a-z\d-]*[a-z])[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(text)

/** Whether only this machine can reach what listens there. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)

/** Where a server that listens there is reached, for those who set no `PUBLIC_URL`. */
export function localUrl(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere || isLoopback(host) ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host
  return `http://${name}:${port}`
}

function isDatabaseUrl(text: string): boolean {
  if (text.startsWith('sqlite:')) return text.length > 'sqlite:'.length
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false
  return new URL(text).pathname.length > 1
}

function readPublicUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, origin, pathname, search, hash, username } = new URL(text)
  const isPlain = pathname === '/' && search === '' && hash === '' && username === ''
  return isPlain && ['http:', 'https:'].includes(protocol) ? origin : undefined
}

function readNetworks(text: string): string[] | undefined {
  const networks = text
    .split(',')
    .map((network) => network.trim())
    .filter(Boolean)
  return networks.every(isNetwork) ? networks : undefined
}

/** A value as an error may show it: not where it is a secret, or holds one. */
function printable(name: string, text: string): string {
  if (/_(KEY|TOKEN)$/.test(name)) return '***'
  if (name === 'DATABASE_URL' && !/^(sqlite:.*|[\w./-]+)$/.test(text)) return text.replace(/^(\w+:\/\/)?.*$/s, '$1***')
  return hideSecrets(text.replace(/:\/\/.*@/s, '://***@').replace(/([?#]).+$/s, '$1***'))
}
