import { BlockList, isIP } from 'node:net'

/** Which addresses are proxies we believe. */
export function trustedProxies(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string?]
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family)
  }
  return list
}

/** Whether it is an address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address, prefix, more] = text.split('/') as [string, string?, string?]
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32))
}

/** Where a request came from: the nearest address in `X-Forwarded-For` that is not a trusted proxy's. */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: BlockList): string {
  let address = plain(peer)
  const hops = forwardedFor?.split(',').map((hop) => plain(hop.trim())) ?? []
  while (hops.length > 0 && isTrusted(address, proxies)) {
    const hop = hops.pop()!
    if (isIP(hop) === 0) break
    address = hop
  }
  return address
}

const isTrusted = (address: string, proxies: BlockList) => {
  const version = isIP(address)
  return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** An IPv4 address that came in over IPv6, as what it is. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')
