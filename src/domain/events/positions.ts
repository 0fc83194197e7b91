import { DIGITS, decode } from '../../contract/browser/revisions'

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

const REVISION_DIGITS = 13
const WORKSPACE_DIGITS = 13
const NONCE_DIGITS = 8

/**
 * The id of an event: its revision, the end of the workspace's id, its nonce. Sorts by revision, and is unique on the
 * server. Events from before there were nonces keep the id without one that they had.
 */
export function eventId(workspaceId: string, { revision, nonce }: Position): string {
  const suffix = nonce === 0 ? '' : encode(nonce, NONCE_DIGITS)
  return `evt_${encode(revision, REVISION_DIGITS)}${workspaceId.slice(-WORKSPACE_DIGITS)}${suffix}`
}

/** The position an event id of this workspace stands for. */
export function positionOf(workspaceId: string, id: string): Position | undefined {
  const [, digits, workspace, suffix] = id.match(/^evt_([0-9a-z]{13})([0-9a-z]{13})([0-9a-z]{8})?$/) ?? []
  if (digits === undefined || workspace !== workspaceId.slice(-WORKSPACE_DIGITS)) return undefined
  const [revision, nonce] = [decode(digits), suffix === undefined ? 0 : decode(suffix)]
  return revision === undefined || nonce === undefined ? undefined : { revision, nonce }
}

function encode(number: number, length: number): string {
  let digits = ''
  for (let rest = number; digits.length < length; rest = Math.floor(rest / 32)) digits = DIGITS[rest % 32] + digits
  return digits
}
