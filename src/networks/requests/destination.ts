import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Networks } from '..'
import { isLocalName, mayReach, notPublic, readTarget, type Target } from '../destination'
import { DeliveryError } from './delivery-error'

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
