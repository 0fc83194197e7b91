import { Problem } from '../contract/errors'
import { networkOf } from '../gate/accounts/login-throttle'
import { type Buckets, openBuckets } from '../gate/limits/token-buckets'

/** How much is answered to an address for those who are not signed in. An address is a /64 where it is IPv6. */
export interface AnonymousLimits {
  /** Counts a request that had no valid token. Undefined, or the problem to answer with instead. */
  refuse(address: string): Problem | undefined
  /** Counts an attempt to sign in before it is made, or throws. What works is no attempt: it is not counted. */
  signIn<T>(address: string, work: () => Promise<T>): Promise<T>
}

const MOST_ADDRESSES = 50_000
const BURST_SECONDS = 5
const SIGN_INS_A_MINUTE = 30

export function openAnonymousLimits(perSecond: number, clock: () => number): AnonymousLimits {
  if (perSecond === 0) return { refuse: () => undefined, signIn: (_, work) => work() }
  const refusals = openBuckets<string>({ perSecond, size: perSecond * BURST_SECONDS, most: MOST_ADDRESSES, clock })
  const signIns = openBuckets<string>({
    perSecond: SIGN_INS_A_MINUTE / 60,
    size: SIGN_INS_A_MINUTE,
    most: MOST_ADDRESSES,
    clock,
  })
  return {
    refuse: (address) =>
      over(refusals, networkOf(address), 'Too many requests without a valid access token came from your address.'),
    async signIn(address, work) {
      const network = networkOf(address)
      const problem = over(signIns, network, 'Too many attempts to sign in came from your address.')
      if (problem) throw problem
      try {
        const result = await work()
        signIns.giveBack(network)
        return result
      } catch (error) {
        // The password is right: whoever is in several workspaces is only asked which.
        if (error instanceof Problem && error.code === 'workspace_required') signIns.giveBack(network)
        throw error
      }
    },
  }
}

function over(buckets: Buckets<string>, network: string, sentence: string): Problem | undefined {
  const { isEmpty, waitSeconds } = buckets.take(network)
  if (!isEmpty) return undefined
  const headers = { 'Retry-After': String(waitSeconds) }
  return new Problem('rate_limited', `${sentence} Wait ${waitSeconds} s.`, undefined, headers)
}
