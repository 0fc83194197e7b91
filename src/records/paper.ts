/**
 * What pages are written on. A response copies what it sends (the Fetch standard says so, and a test holds Bun to it), so
 * the same sheets of paper serve again and again; new memory for every page costs as much as filling it.
 */
export type Paper = Buffer<ArrayBuffer>

const PAPER_BYTES = 256 * 1024
const MOST_SPARE = 32

const spare: Paper[] = []

export const takePaper = (length: number): Paper =>
  length > PAPER_BYTES ? Buffer.allocUnsafeSlow(length) : (spare.pop() ?? Buffer.allocUnsafeSlow(PAPER_BYTES))

/** Once nobody will look at what is written on it. */
export function returnPaper(paper: Paper) {
  if (paper.length === PAPER_BYTES && spare.length < MOST_SPARE) spare.push(paper)
}
