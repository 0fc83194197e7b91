import { appendFileSync } from 'node:fs'
import { engineUnderTest } from '../server'

/** One line of the table that `npm run torture` prints. */
export interface Figure {
  question: string
  goal: string
  figure: string
  isMet: boolean
  /** If the goal is missed: what was done about it. */
  tried?: string
}

/** Where `npm run torture` collects the figures; unset in `npm test`. */
const file = process.env.PARLEY_TORTURE_REPORT

/** Records a figure. Call it before the expectations, so that a missed goal is in the table. */
export function reportFigure(figure: Figure) {
  if (file) appendFileSync(file, `${JSON.stringify({ ...figure, engine: engineUnderTest })}\n`)
}

/** A test whose figure is its result, or why it failed. */
export const reported = (question: string, goal: string, work: () => Promise<string>) => async () => {
  try {
    reportFigure({ question, goal, figure: await work(), isMet: true })
  } catch (error) {
    const [why] = Bun.stripANSI(String(error)).split('\n')
    reportFigure({ question, goal, figure: `failed: ${why}`, isMet: false })
    throw error
  }
}
