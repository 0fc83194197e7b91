import { appendFileSync } from 'node:fs'
import { engineUnderTest } from '../server'

/** One line of the table that `npm run torture` prints at its end. */
export interface Figure {
  question: string
  goal: string
  figure: string
  isMet: boolean
  /** Where it is missed: what was done about it. */
  tried?: string
}

/** Where `npm run torture` collects the figures of the tests it runs; nowhere in `npm test`. */
const file = process.env.PARLEY_TORTURE_REPORT

/** Says what was measured. Call it before expecting, so that a miss stays in the table. */
export function reportFigure(figure: Figure) {
  if (file) appendFileSync(file, `${JSON.stringify({ ...figure, engine: engineUnderTest })}\n`)
}

/** A test of what either holds or does not: the figure is what it returns, or why it failed. */
export const reported = (question: string, goal: string, work: () => Promise<string>) => async () => {
  try {
    reportFigure({ question, goal, figure: await work(), isMet: true })
  } catch (error) {
    const [why] = Bun.stripANSI(String(error)).split('\n')
    reportFigure({ question, goal, figure: `failed: ${why}`, isMet: false })
    throw error
  }
}
