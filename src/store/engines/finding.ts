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
