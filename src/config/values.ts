import { isNetwork } from '../networks'

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
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false
  return new URL(text).pathname.length > 1
}

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
  return url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== ''
}

/** `name@host`, or `Name <name@host>`. */
export const isMailAddress = (text: string): boolean =>
  /^(?:[^<>\x00-\x1f\x7f]*<[^\s<>@,;:"]+@[^\s<>@,;:"]+>|[^\s<>@,;:"]+@[^\s<>@,;:"]+)$/.test(text)
