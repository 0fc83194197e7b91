import { isIP } from 'node:net'
import type { Networks } from '.'
import { isPublicAddress } from './public-addresses'

/** Where requests to a URL go. */
export interface Target {
  protocol: 'http:' | 'https:'
  /** The name or address in the URL, without brackets and without a dot at the end. */
  host: string
  port: number
}

/** The target of a URL, or why there is none. The URL parser normalizes IP addresses such as 2130706433, 0x7f.1 and 127。1. */
export function readTarget(text: string): Target | { problem: string } {
  const url = URL.parse(text)
  if (!url) return { problem: 'The URL is not valid.' }
  const { protocol, username, password, hostname } = url
  if (protocol !== 'http:' && protocol !== 'https:') return { problem: 'The URL must be http or https.' }
  if (username || password) return { problem: 'The URL must not contain a user name or password.' }
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (isIP(host) === 0 && !isHostName(host)) return { problem: 'The URL has no valid host name.' }
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (port === 0) return { problem: 'Port 0 is not valid.' }
  return { protocol, host, port }
}

const isHostName = (host: string) => host.length <= 253 && /^[\w-]{1,63}(\.[\w-]{1,63})*$/.test(host)

const LOCAL_SUFFIX = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/
/** Reserved by RFC 2606 and RFC 7686: no public name ends so. */
const UNUSED_SUFFIX = /(^|\.)(invalid|test|example|onion)$/

/** A name that is only valid inside a network, even if it resolves to a public address. */
export const isLocalName = (host: string) => isIP(host) === 0 && (!host.includes('.') || LOCAL_SUFFIX.test(host))

/** Whether requests may go to an address. Local names are for private networks that the operator allowed. */
export const mayReach = (host: string, address: string, allowed: Networks): boolean =>
  allowed.has(address) || (!isLocalName(host) && isPublicAddress(address))

/** Why nothing can ever be delivered to a URL, whatever its name resolves to; undefined if something may be. */
export function findUrlProblem(url: string, allowed: Networks): string | undefined {
  const target = readTarget(url)
  if ('problem' in target) return target.problem
  const { host } = target
  if (UNUSED_SUFFIX.test(host)) return `${host} is a name that is reserved for examples and tests.`
  const canBeReached = isIP(host) === 0 ? !isLocalName(host) || !allowed.isEmpty : mayReach(host, host, allowed)
  return canBeReached ? undefined : notPublic(host)
}

// Without the address: owners of webhooks must not learn how names resolve inside the network.
export const notPublic = (host: string) =>
  `${host} is not on the public internet. The operator of this server can allow its network with WEBHOOK_NETWORKS.`
