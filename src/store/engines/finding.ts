/** What a check found: all is well, or what is wrong and what to do about it. */
export interface Finding {
  what: string
  isWell: boolean
  /** More about it: a figure when all is well, the fault when not. */
  says: string
  advice?: string
}

export const well = (what: string, says: string): Finding => ({ what, isWell: true, says })
export const wrong = (what: string, says: string, advice: string): Finding => ({ what, isWell: false, says, advice })

const MAX_SHOWN = 20

/** One finding for each fault, up to a maximum, and one that counts the rest. */
export function showSome(what: string, faults: readonly string[], advice: string): Finding[] {
  const shown = faults.slice(0, MAX_SHOWN).map((fault) => wrong(what, fault, advice))
  const more = faults.length - shown.length
  return more > 0 ? [...shown, wrong(what, `and ${more} more`, advice)] : shown
}
