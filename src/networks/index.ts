import { BlockList, isIP } from 'node:net'

export interface Networks {
  isEmpty: boolean
  has(address: string): boolean
}

/** A set of networks in CIDR notation. */
export function networksFrom(networks: readonly string[]): Networks {
  // One list a family: a BlockList takes an IPv4 address for the IPv6 one that it maps to.
  const lists = { 4: new BlockList(), 6: new BlockList() }
  for (const network of networks) {
    if (!isNetwork(network)) throw new TypeError(`${network} is not a network.`)
    const [address, prefix] = network.split('/') as [string, string?]
    if (isIP(address) === 4) lists[4].addSubnet(address, Number(prefix ?? 32), 'ipv4')
    else lists[6].addSubnet(address, Number(prefix ?? 128), 'ipv6')
  }
  const has = (address: string) => {
    // An address with a zone (fe80::1%eth0) is good on one link only.
    if (address.includes('%')) return false
    const version = isIP(address)
    if (version === 4) return lists[4].check(address, 'ipv4')
    return version === 6 && lists[6].check(address, 'ipv6')
  }
  return { isEmpty: networks.length === 0, has }
}

/** Whether it is an address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address, prefix, more] = text.split('/') as [string, string?, string?]
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32))
}

/** What a client is limited by: its IPv4 address, or the /64 network of its IPv6 address, which is one home's. */
export const networkOf = (address: string) => (address.includes(':') ? firstHalf(address).join(':') : address)

function firstHalf(address: string): string[] {
  const [start = '', end] = address.split('::')
  const groups = (text = '') =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  const [left, right] = [groups(start), groups(end)]
  const zeros = end === undefined ? [] : Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4)
}
