import { isIP } from 'node:net'
import { DEFAULT_WORKSPACE_NAME } from '../contract/browser/constants'
import { logLevels } from '../log'
import {
  isDatabaseUrl,
  isFilesUrl,
  isHostName,
  isMailAddress,
  isSmtpUrl,
  readNetworks,
  readPublicUrl,
  wholeNumber,
} from './values'

export interface Setting<T> {
  help: string
  fallback: string
  read(text: string): T | undefined
  /** The valid values, for the error message. */
  expects: string
  /** Messages do not show its value, and `NAME_FILE` can name a file that it is read from. */
  isSecret?: true
  /** Another variable that is used if this one is not set. */
  alias?: string
}

const setting = <T>(definition: Setting<T>) => definition

const numberSetting = (help: string, { fallback, min, max }: { fallback: number; min: number; max: number }) =>
  setting({
    help,
    fallback: String(fallback),
    expects: `a whole number from ${min} to ${max}`,
    read: (text) => wholeNumber(text, min, max),
  })

const s3Setting = (help: string, alias: string, isSecret?: true) =>
  setting<string | undefined>({
    help,
    fallback: '',
    expects: 'characters without spaces',
    alias,
    isSecret,
    read: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
  })

/** All settings, by their environment variables. */
export const settings = {
  PORT: numberSetting('The port to listen on; 0 picks a free one.', { fallback: 3_000, min: 0, max: 65_535 }),
  HOST: setting({
    help: 'The address to listen on: an IP address or a name. `localhost` is this machine only; `0.0.0.0` is all IPv4 addresses, `::` all IPv6 addresses as well.',
    fallback: 'localhost',
    expects: 'an IP address or a host name',
    read: (text) => (isIP(text) || isHostName(text) ? text.toLowerCase() : undefined),
  }),
  DATABASE_URL: setting({
    help: '`sqlite:<path>` or `postgres://user:password@host:5432/database`; several hosts, `db1:5432,db2:5432`, belong to one cluster, and the primary is used.',
    fallback: 'sqlite:./data/parley.db',
    expects:
      '`sqlite:<path>` or a `postgres://` URL with a database name; several hosts are separated by commas, and `target_session_attrs` is any, read-write or primary; a / in a password is written as %2F',
    isSecret: true,
    read: (text) => (isDatabaseUrl(text) ? text : undefined),
  }),
  DATABASE_POOL: numberSetting('Maximum number of connections to PostgreSQL, which are opened as they are needed.', {
    fallback: 10,
    min: 1,
    max: 1_000,
  }),
  FILES_URL: setting<string | undefined>({
    help: 'Where uploaded files are stored: a folder (`file:<path>`), or S3 (`s3://bucket/prefix?endpoint=https://…&region=…`) with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. Default: the folder `files` next to the SQLite database, otherwise ./data/files.',
    fallback: '',
    expects: '`file:<path>` or an `s3://` URL with the name of a bucket',
    read: (text) => (isFilesUrl(text) ? text : undefined),
  }),
  S3_ACCESS_KEY_ID: s3Setting(
    'The access key for S3. Required with FILES_URL=s3://…. Default: AWS_ACCESS_KEY_ID.',
    'AWS_ACCESS_KEY_ID',
    true,
  ),
  S3_SECRET_ACCESS_KEY: s3Setting(
    'The secret of that access key. Required with FILES_URL=s3://…. Default: AWS_SECRET_ACCESS_KEY.',
    'AWS_SECRET_ACCESS_KEY',
    true,
  ),
  S3_SESSION_TOKEN: s3Setting(
    'The session token for S3, if the access key is temporary. Default: AWS_SESSION_TOKEN.',
    'AWS_SESSION_TOKEN',
    true,
  ),
  S3_REGION: s3Setting(
    'The region of S3, if FILES_URL does not contain one. Default: AWS_REGION, otherwise us-east-1.',
    'AWS_REGION',
  ),
  FILE_MAX_MB: numberSetting('Maximum size of an uploaded file, in megabytes.', { fallback: 100, min: 1, max: 5_000 }),
  FILES_QUOTA_MB: numberSetting(
    'Maximum size of all uploaded files of a workspace together, in megabytes; 0 turns the limit off.',
    { fallback: 10_000, min: 0, max: 999_999_999 },
  ),
  PUBLIC_URL: setting<string | undefined>({
    help: 'The public address of the server, such as https://parley.example.com. Default: http://localhost:<PORT>.',
    fallback: '',
    expects: 'an http or https URL without a path',
    read: readPublicUrl,
  }),
  RATE_LIMIT: numberSetting(
    'Requests per second for each token, with bursts of twice as many; 0 turns the limit off.',
    { fallback: 100, min: 0, max: 1_000_000 },
  ),
  ANONYMOUS_RATE_LIMIT: numberSetting(
    'Requests per second without a valid token for each client address, with bursts of five times as many; 0 turns off this limit and the one on sign-in attempts.',
    { fallback: 20, min: 0, max: 1_000_000 },
  ),
  STREAM_LIMIT: numberSetting(
    'Maximum number of live streams and waiting polls for each member or app; 0 turns the limit off.',
    { fallback: 50, min: 0, max: 1_000_000 },
  ),
  STREAM_TOTAL: numberSetting(
    'Maximum number of live streams and waiting polls in each process; 0 turns the limit off.',
    { fallback: 5_000, min: 0, max: 1_000_000 },
  ),
  CACHE_MB: numberSetting('Maximum size of the cache of responses, in megabytes.', {
    fallback: 32,
    min: 0,
    max: 65_536,
  }),
  TRUSTED_PROXIES: setting({
    help: 'Addresses or networks (CIDR) of proxies whose X-Forwarded-For header is trusted, separated by commas.',
    fallback: '',
    expects: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    read: readNetworks,
  }),
  DRAIN_SECONDS: setting<number | undefined>({
    help: 'How many seconds a server that was told to stop (SIGTERM) goes on serving, so that a proxy can turn to other nodes first. Default: 5 on PostgreSQL, 0 on SQLite.',
    fallback: '',
    expects: 'a whole number from 0 to 300',
    read: (text) => wholeNumber(text, 0, 300),
  }),
  SECRET_KEY: setting<string | undefined>({
    help: 'Encrypts webhook secrets; at least 32 characters. Required for webhooks on PostgreSQL. Default on SQLite: a key in the file secret.key next to the database.',
    fallback: '',
    expects: 'at least 32 characters, for example from `openssl rand -base64 32`',
    isSecret: true,
    read: (text) => (text.length >= 32 ? text : undefined),
  }),
  METRICS_TOKEN: setting<string | undefined>({
    help: 'The Bearer token for /metrics; at least 32 characters without spaces. Without it, only programs on this machine can read the metrics.',
    fallback: '',
    expects: 'at least 32 characters without spaces, for example from `openssl rand -hex 32`',
    isSecret: true,
    read: (text) => (/^[\x21-\x7e]{32,}$/.test(text) ? text : undefined),
  }),
  EVENT_RETENTION_DAYS: numberSetting('How many days to keep events and webhook deliveries.', {
    fallback: 30,
    min: 1,
    max: 3_650,
  }),
  WEBHOOK_NETWORKS: setting({
    help: 'Private networks (CIDR) that webhooks may connect to, separated by commas.',
    fallback: '',
    expects: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    read: readNetworks,
  }),
  IMAGE_PROXY: setting<boolean>({
    help: 'Whether images from other servers are loaded through this one, so that those servers do not learn who reads a text: `on` or `off`.',
    fallback: 'off',
    expects: '`on` or `off`',
    read: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
  }),
  WEBHOOK_TIMEOUT_SECONDS: numberSetting('How many seconds a webhook receiver may take to respond.', {
    fallback: 15,
    min: 1,
    max: 60,
  }),
  SMTP_URL: setting<string | undefined>({
    help: 'The server to send e-mail through, such as smtp://user:password@mail.example.com:587 (STARTTLS) or smtps://user:password@mail.example.com. Without it, Parley sends no e-mail.',
    fallback: '',
    expects: 'an smtp or smtps URL with a host name; a / in a password is written as %2F',
    isSecret: true,
    read: (text) => (isSmtpUrl(text) ? text : undefined),
  }),
  MAIL_FROM: setting<string | undefined>({
    help: 'The sender of e-mail, such as `Parley <parley@example.com>`. Required with SMTP_URL.',
    fallback: '',
    expects: 'an e-mail address, or a name with an address in angle brackets',
    read: (text) => (isMailAddress(text) ? text : undefined),
  }),
  LOG_LEVEL: setting({
    help: `The log level: ${logLevels.join(', ')}.`,
    fallback: 'info',
    expects: `one of ${logLevels.join(', ')}`,
    read: (text) => logLevels.find((level) => level === text),
  }),
  LOG_FORMAT: setting({
    help: '`json`, `text`, or `auto`: text in a terminal, JSON elsewhere. Text has colors only in a terminal, and not if NO_COLOR is set.',
    fallback: 'auto',
    expects: '`json`, `text` or `auto`',
    read: (text) => (['json', 'text', 'auto'].includes(text) ? text : undefined),
  }),
  WORKSPACE_NAME: setting({
    help: 'The name of the workspace that the first start creates.',
    fallback: DEFAULT_WORKSPACE_NAME,
    expects: '1 to 100 characters',
    read: (text) => (text.trim() && text.length <= 100 ? text.trim() : undefined),
  }),
  ADMIN_EMAIL: setting({
    help: 'The e-mail address of the admin that the first start creates.',
    fallback: 'admin@example.com',
    expects: 'an e-mail address',
    read: (text) => (/^[^@\s]+@[^@\s]+$/.test(text) ? text.toLowerCase() : undefined),
  }),
}
