const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HALF = 13

/** The id of an event: its revision, then the end of the workspace's id. Sorts, and is unique on the server. */
export function eventId(workspaceId: string, revision: number): string {
  let digits = ''
  for (let rest = revision; digits.length < HALF; rest = Math.floor(rest / 32)) digits = ALPHABET[rest % 32] + digits
  return `evt_${digits}${workspaceId.slice(-HALF)}`
}

/** The revision an event id of this workspace stands for. */
export function revisionOf(workspaceId: string, id: string): number | undefined {
  const [, digits, tail] = id.match(/^evt_([0-9a-z]{13})([0-9a-z]{13})$/) ?? []
  if (digits === undefined || tail !== workspaceId.slice(-HALF)) return undefined
  let revision = 0
  for (const digit of digits) {
    const value = ALPHABET.indexOf(digit)
    if (value < 0) return undefined
    revision = revision * 32 + value
  }
  return Number.isSafeInteger(revision) ? revision : undefined
}
