import { dirname, join } from 'node:path'
import { isNetwork } from '../networks'
import { parsePostgresUrl } from '../store/engines/postgres/hosts'

export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** A host name has a letter in its last part; without one it is an invalid IP address. */
export const isHostName = (text: string) =>
  text.length <= 253 &&
  /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*(?=[a-z\d-]*[a-z])[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(text)

export function isDatabaseUrl(text: string): boolean {
  if (text.startsWith('sqlite:')) return text.length > 'sqlite:'.length
  return parsePostgresUrl(text) !== undefined
}

/** A path, or the URL of a bucket without credentials. Credentials are separate settings, so that no message shows them. */
export function isFilesUrl(text: string): boolean {
  if (!/^\w+:\/\//.test(text) || text.startsWith('file:///')) return text.replace(/^file:/, '') !== ''
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.username !== '' || url.port !== '') return false
  const endpoint = url.searchParams.get('endpoint')
  const isName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)
  const isPrefix = /^(?:\/[\w-][\w.-]*)*\/?$/.test(url.pathname)
  return isName && isPrefix && (!endpoint || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
}

/** The folder `files` next to the SQLite database, or in `./data`. */
export const defaultFilesUrl = (databaseUrl: string): string =>
  `file:${join(databaseUrl.startsWith('sqlite:') ? dirname(databaseUrl.slice('sqlite:'.length)) : './data', 'files')}`

export function readPublicUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, origin, pathname, search, hash, username } = new URL(text)
  const isPlain = pathname === '/' && search === '' && hash === '' && username === ''
  return isPlain && ['http:', 'https:'].includes(protocol) ? origin : undefined
}

export function readNetworks(text: string): string[] | undefined {
  const networks = text
    .split(',')
    .map((network) => network.trim())
    .filter(Boolean)
  return networks.every(isNetwork) ? networks : undefined
}

export function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text)
  // With an @ after the host, that is no host: it is the user, and the port and what follows are a password with a slash in it.
  if (!url || url.href.replace(/^\w+:\/\/[^/?#]*/, '').includes('@')) return false
  return ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== ''
}

/** `name@host`, or `Name <name@host>`. */
export const isMailAddress = (text: string): boolean =>
  /^(?:[^<>\x00-\x1f\x7f]*<[^\s<>@,;:"]+@[^\s<>@,;:"]+>|[^\s<>@,;:"]+@[^\s<>@,;:"]+)$/.test(text)
