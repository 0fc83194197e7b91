import { isIP } from 'node:net'
import type { Networks } from '../networks'

/** The client's address: the last one in `X-Forwarded-For` that is not a trusted proxy's. */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: Networks): string {
  let address = plain(peer)
  const hops = forwardedFor?.split(',').map((hop) => plain(hop.trim())) ?? []
  while (hops.length > 0 && proxies.has(address)) {
    const hop = hops.pop()!
    if (isIP(hop) === 0) break
    address = hop
  }
  return address
}

/** Unwraps an IPv4 address that is mapped to IPv6. */
export const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')
