import { StartError } from '../domain/start-error'
import { hideSecrets, type LogLevel } from '../log'
import { type Environment, findGiven } from './environment'
import { type Setting, settings } from './settings'
import { defaultFilesUrl } from './values'

export interface Config {
  port: number
  host: string
  databaseUrl: string
  databasePool: number
  /** `file:<path>` or `s3://…`. */
  filesUrl: string
  /** For `s3://…`. */
  s3: {
    accessKeyId: string | undefined
    secretAccessKey: string | undefined
    sessionToken: string | undefined
    region: string | undefined
  }
  fileMaxMegabytes: number
  /** For each workspace; 0 for no limit. */
  filesQuotaMegabytes: number
  /** The public address of the server; undefined until the port is known. */
  publicUrl: string | undefined
  rateLimit: number
  anonymousRateLimit: number
  streamLimit: number
  streamTotal: number
  cacheMegabytes: number
  trustedProxies: string[]
  /** How long a server that was told to stop goes on serving. */
  drainSeconds: number
  metricsToken: string | undefined
  secretKey: string | undefined
  webhookNetworks: string[]
  webhookTimeoutSeconds: number
  hasImageProxy: boolean
  eventRetentionDays: number
  /** Undefined where no mails are to be sent. */
  mail: { url: string; from: string } | undefined
  logLevel: LogLevel
  logFormat: 'json' | 'text'
  workspaceName: string
  adminEmail: string
}

/** Longer than the proxies in `deploy` keep idle connections, and than Caddy takes to notice. */
const DRAIN_SECONDS = 5

/** Reads the settings; throws one error that names every invalid one. */
export function readConfig(env: Environment): Config {
  const wrong: string[] = []
  const value = <N extends keyof typeof settings>(name: N) =>
    readSetting(env, name, wrong) as NonNullable<ReturnType<(typeof settings)[N]['read']>>
  const format = value('LOG_FORMAT')
  const [smtpUrl, mailFrom] = [value('SMTP_URL'), value('MAIL_FROM')]
  if (smtpUrl && !mailFrom && !env.MAIL_FROM?.trim()) wrong.push('MAIL_FROM is required with SMTP_URL.')
  const s3 = {
    accessKeyId: value('S3_ACCESS_KEY_ID'),
    secretAccessKey: value('S3_SECRET_ACCESS_KEY'),
    sessionToken: value('S3_SESSION_TOKEN'),
    region: value('S3_REGION'),
  }
  const filesUrl = value('FILES_URL')
  const hasKeys = (s3.accessKeyId && s3.secretAccessKey) || wrong.some((line) => line.startsWith('S3_'))
  if (filesUrl?.startsWith('s3://') && !hasKeys)
    wrong.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with FILES_URL=s3://….')
  const databaseUrl = value('DATABASE_URL')
  const config: Config = {
    port: value('PORT'),
    host: value('HOST'),
    databaseUrl,
    databasePool: value('DATABASE_POOL'),
    filesUrl: filesUrl ?? defaultFilesUrl(databaseUrl ?? ''),
    s3,
    fileMaxMegabytes: value('FILE_MAX_MB'),
    filesQuotaMegabytes: value('FILES_QUOTA_MB'),
    publicUrl: value('PUBLIC_URL'),
    rateLimit: value('RATE_LIMIT'),
    anonymousRateLimit: value('ANONYMOUS_RATE_LIMIT'),
    streamLimit: value('STREAM_LIMIT'),
    streamTotal: value('STREAM_TOTAL'),
    cacheMegabytes: value('CACHE_MB'),
    trustedProxies: value('TRUSTED_PROXIES') ?? [],
    // On SQLite there is no other node to turn to.
    drainSeconds: value('DRAIN_SECONDS') ?? (databaseUrl?.startsWith('postgres') ? DRAIN_SECONDS : 0),
    secretKey: value('SECRET_KEY'),
    metricsToken: value('METRICS_TOKEN'),
    webhookNetworks: value('WEBHOOK_NETWORKS') ?? [],
    webhookTimeoutSeconds: value('WEBHOOK_TIMEOUT_SECONDS'),
    hasImageProxy: value('IMAGE_PROXY'),
    eventRetentionDays: value('EVENT_RETENTION_DAYS'),
    mail: smtpUrl && mailFrom ? { url: smtpUrl, from: mailFrom } : undefined,
    logLevel: value('LOG_LEVEL'),
    logFormat: format === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : format === 'json' ? 'json' : 'text',
    workspaceName: value('WORKSPACE_NAME'),
    adminEmail: value('ADMIN_EMAIL'),
  }
  if (wrong.length > 0) throw new StartError(wrong.join('\n'))
  return config
}

/** The value of a setting; if it is invalid, undefined, with the reason in `wrong`. */
function readSetting(env: Environment, name: keyof typeof settings, wrong: string[]): unknown {
  const { expects, read } = settings[name] as Setting<unknown>
  try {
    const { text, file } = findGiven(env, name)
    const result = read(text)
    if (result === undefined && text !== '')
      wrong.push(
        file
          ? `${name}_FILE=${file} does not contain a valid value: expected ${expects}.`
          : `${name}=${printable(name, text)} is not valid: expected ${expects}.`,
      )
    return result
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    wrong.push(error.message)
    return undefined
  }
}

/** A value as it may be shown in an error, without secrets. */
function printable(name: keyof typeof settings, text: string): string {
  const isPath = name === 'DATABASE_URL' && /^(sqlite:.*|[\w./-]+)$/.test(text)
  const { isSecret } = settings[name] as Setting<unknown>
  if (isSecret && !isPath) return name.endsWith('_URL') ? text.replace(/^(\w+:\/\/)?.*$/s, '$1***') : '***'
  return hideSecrets(text.replace(/:\/\/.*@/s, '://***@').replace(/([?#]).+$/s, '$1***'))
}
