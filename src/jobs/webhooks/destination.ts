import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Networks } from '../../networks'
import { DeliveryError } from './delivery-error'
import { isPublicAddress } from './networks'

export interface Address {
  address: string
  family: 4 | 6
}

export type Lookup = (host: string) => Promise<{ address: string; family: number }[]>

/** Where a request may go. The connection is made to these addresses; the name is not looked up again. */
export interface Destination extends Address {
  /** All that the name stands for, `address` first; each one is checked. */
  addresses: Address[]
  protocol: 'http:' | 'https:'
  /** The name or address in the URL, without brackets and without a dot at the end. */
  host: string
  port: number
}

export interface DestinationOptions {
  /** Private networks that webhooks may connect to. */
  allowed: Networks
  lookup?: Lookup
  timeoutMs?: number
}

const LOOKUP_MS = 5_000

/** The destination of a URL; refused unless all of its addresses are public or allowed. */
export async function checkDestination(url: string, options: DestinationOptions): Promise<Destination> {
  const target = readTarget(url)
  const isLocal = isLocalName(target.host)
  if (isLocal && options.allowed.isEmpty) throw notPublic(target.host)

  const addresses = await addressesOf(target.host, options)
  const mayReach = ({ address }: Address) => options.allowed.has(address) || (!isLocal && isPublicAddress(address))
  // One forbidden address is enough: a name that mixes them looks like an attack.
  if (!addresses.every(mayReach)) throw notPublic(target.host)
  return { ...target, ...addresses[0]!, addresses }
}

type Target = Pick<Destination, 'protocol' | 'host' | 'port'>

/** The target of a URL. The URL parser normalizes IP addresses such as 2130706433, 0x7f.1 and 127。1. */
export function readTarget(text: string): Target {
  const url = URL.parse(text)
  if (!url) throw refused('The webhook URL is not valid.')
  const { protocol, username, password, hostname } = url
  if (protocol !== 'http:' && protocol !== 'https:') throw refused('The webhook URL must be http or https.')
  if (username || password) throw refused('The webhook URL must not contain a user name or password.')
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (isIP(host) === 0 && !isHostName(host)) throw refused('The webhook URL has no valid host name.')
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (port === 0) throw refused('Port 0 is not valid.')
  return { protocol, host, port }
}

const isHostName = (host: string) => host.length <= 253 && /^[\w-]{1,63}(\.[\w-]{1,63})*$/.test(host)

const LOCAL_SUFFIX = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** A name that is only valid inside a network, even if it resolves to a public address. */
const isLocalName = (host: string) => isIP(host) === 0 && (!host.includes('.') || LOCAL_SUFFIX.test(host))

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

// Without the address: owners of webhooks must not learn how names resolve inside the network.
const notPublic = (host: string) =>
  refused(`${host} is not on the public internet, and this server does not allow it as a destination.`)
