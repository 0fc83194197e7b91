import { isIP } from 'node:net'
import { Problem } from '../contract/errors'
import { type Buckets, openBuckets } from '../gate/limits'
import { type Networks, networkOf } from '../networks'

/** Limits requests without a valid token, by client network (`networkOf`). */
export interface AnonymousLimits {
  /** Counts a request that had no valid token. Returns the problem to answer with if there were too many. */
  countRefusal(address: string): Problem | undefined
  /** Counts an attempt to sign in before it is made, or throws. Successful ones do not count. */
  limitSignIn<T>(address: string, work: () => Promise<T>): Promise<T>
}

const MAX_NETWORKS = 50_000
const BURST_SECONDS = 5
const SIGN_INS_PER_MINUTE = 30

export function openAnonymousLimits(perSecond: number, clock: () => number): AnonymousLimits {
  if (perSecond === 0) return { countRefusal: () => undefined, limitSignIn: (_, work) => work() }
  const refusals = openBuckets<string>({ perSecond, size: perSecond * BURST_SECONDS, maxBuckets: MAX_NETWORKS, clock })
  const signIns = openBuckets<string>({
    perSecond: SIGN_INS_PER_MINUTE / 60,
    size: SIGN_INS_PER_MINUTE,
    maxBuckets: MAX_NETWORKS,
    clock,
  })
  return {
    countRefusal: (address) =>
      takeOne(refusals, networkOf(address), 'Too many requests without a valid access token from your address.'),
    async limitSignIn(address, work) {
      const network = networkOf(address)
      const problem = takeOne(signIns, network, 'Too many sign-in attempts from your address.')
      if (problem) throw problem
      try {
        const result = await work()
        signIns.giveBack(network)
        return result
      } catch (error) {
        // The password is right; the member only has to choose a workspace.
        if (error instanceof Problem && error.code === 'workspace_required') signIns.giveBack(network)
        throw error
      }
    },
  }
}

function takeOne(buckets: Buckets<string>, network: string, message: string): Problem | undefined {
  const { isEmpty, waitSeconds } = buckets.take(network)
  if (!isEmpty) return undefined
  const headers = { 'Retry-After': String(waitSeconds) }
  return new Problem('rate_limited', `${message} Retry in ${waitSeconds} s.`, undefined, headers)
}

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
