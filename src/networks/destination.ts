import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Networks } from './'
import { isPublicAddress } from './public-addresses'

export type DeliveryReason =
  | 'refused_destination'
  | 'malformed_request'
  | 'timeout'
  | 'connection'
  | 'tls'
  | 'malformed_answer'

/** Why a delivery failed: a code, and a message for the operator of the receiver. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'

  constructor(
    readonly reason: DeliveryReason,
    message: string,
  ) {
    super(message)
  }
}

/** Where requests to a URL go. */
export interface Target {
  protocol: 'http:' | 'https:'
  /** The name or address in the URL, without brackets and without a dot at the end. */
  host: string
  port: number
}

/** The target of a URL, or why there is none. The URL parser normalizes IP addresses such as 2130706433, 0x7f.1 and 127。1. */
function readTarget(text: string): Target | { problem: string } {
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
const isLocalName = (host: string) => isIP(host) === 0 && (!host.includes('.') || LOCAL_SUFFIX.test(host))

/** Whether requests may go to an address. Local names are for private networks that the operator allowed. */
const mayReach = (host: string, address: string, allowed: Networks): boolean =>
  allowed.has(address) || (!isLocalName(host) && isPublicAddress(address))

/** Why nothing can be delivered to a URL, no matter what its name resolves to; undefined if the URL may work. */
export function findUrlProblem(url: string, allowed: Networks): string | undefined {
  const target = readTarget(url)
  if ('problem' in target) return target.problem
  const { host } = target
  if (UNUSED_SUFFIX.test(host)) return `${host} is a name that is reserved for examples and tests.`
  const canBeReached = isIP(host) === 0 ? !isLocalName(host) || !allowed.isEmpty : mayReach(host, host, allowed)
  return canBeReached ? undefined : notPublic(host)
}

// Without the address: owners of webhooks must not learn how names resolve inside the network.
const notPublic = (host: string) =>
  `${host} is not on the public internet. The operator of this server can allow its network with WEBHOOK_NETWORKS.`

export interface Address {
  address: string
  family: 4 | 6
}

export type Lookup = (host: string) => Promise<{ address: string; family: number }[]>

/** Where a request may go. The connection is made to these addresses; the name is not looked up again. */
export interface Destination extends Address, Target {
  /** All that the name stands for, `address` first; each one is checked. */
  addresses: Address[]
}

export interface DestinationOptions {
  /** Private networks that requests may go to. */
  allowed: Networks
  lookup?: Lookup
  timeoutMs?: number
}

const LOOKUP_MS = 5_000

/** The destination of a URL; refused unless all of its addresses are public or allowed. */
export async function checkDestination(url: string, options: DestinationOptions): Promise<Destination> {
  const target = requireTarget(url)
  const { host } = target
  if (isLocalName(host) && options.allowed.isEmpty) throw refused(notPublic(host))

  const addresses = await addressesOf(host, options)
  // One forbidden address is enough: a name that mixes them looks like an attack.
  if (!addresses.every(({ address }) => mayReach(host, address, options.allowed))) throw refused(notPublic(host))
  return { ...target, ...addresses[0]!, addresses }
}

export function requireTarget(url: string): Target {
  const target = readTarget(url)
  if ('problem' in target) throw refused(target.problem)
  return target
}

async function addressesOf(host: string, { lookup = systemAddresses, timeoutMs }: DestinationOptions) {
  const version = isIP(host)
  if (version !== 0) return [{ address: host, family: familyOf(host) }]

  const found = await withTimeout(lookup(host), host, timeoutMs ?? LOOKUP_MS)
  if (found.length === 0) throw unknownName(host)
  return found.map(({ address }) => ({ address, family: familyOf(address) }))
}

const familyOf = (address: string): 4 | 6 => (isIP(address) === 6 ? 6 : 4)

const systemAddresses: Lookup = (host) => systemLookup(host, { all: true, verbatim: true })

async function withTimeout<T>(resolving: Promise<T>, host: string, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DeliveryError('timeout', `Resolving ${host} took too long.`)), timeoutMs)
  const resolved = resolving.catch(() => {
    throw unknownName(host)
  })
  return Promise.race([resolved, late]).finally(() => clearTimeout(timer))
}

const refused = (message: string) => new DeliveryError('refused_destination', message)

const unknownName = (host: string) => new DeliveryError('connection', `The name ${host} could not be resolved.`)
