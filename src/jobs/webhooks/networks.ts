import { BlockList, isIP } from 'node:net'
import { isNetwork } from '../../http/address'

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

const special4 = networksFrom([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers, and the metadata service of Alibaba
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's agent on every virtual machine
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/** Everything else is loopback, link-local, unique-local, multicast, an IPv4 address in disguise, or nobody's. */
const global6 = networksFrom(['2000::/3'])

const special6 = networksFrom([
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the 6bone, which is no more
  '3fff::/20', // documentation
])

/** Whether the address is one that anybody on the internet could reach. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !special4.has(address)
  return version === 6 && global6.has(address) && !special6.has(address)
}
