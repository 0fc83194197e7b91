/**
 * A point in the log of a workspace: the number of a change, and the random nonce it was written with. After an older
 * backup is restored, the same numbers are given out again, but never with the same nonces; so two equal positions have
 * the same history.
 */
export interface Position {
  revision: number
  nonce: number
}

export const isSamePosition = (a: Position, b: Position): boolean => a.revision === b.revision && a.nonce === b.nonce

const NONCE_BITS = 40

/** Never 0: that is the nonce of changes from before there were nonces. */
export function newNonce(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number]
  return (high % 2 ** (NONCE_BITS - 32)) * 2 ** 32 + low || 1
}
