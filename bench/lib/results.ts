import { table } from './figures'
import { missedGoals } from './missed-goals'

/** An answer to one question: what was measured, beside what was aimed at. */
export interface Result {
  question: string
  /** What it is one of many of: the chart shows the worst of them. */
  group?: string
  /** What it should reach, or stay under; undefined where it is only reported. */
  goal?: { at: 'least' | 'most'; value: number; unit?: string }
  value: number
  /** How the value is written, where its number alone would not tell. */
  shown?: string
  /** What it was measured against, or how. */
  note?: string
}

const results: Result[] = []

export const addResult = (result: Result) => void results.push(result)
export const getResults = (): readonly Result[] => results

export const isMet = ({ goal, value }: Result): boolean | undefined =>
  goal && (goal.at === 'least' ? value >= goal.value : value <= goal.value)

const written = (value: number, unit = '') => `${Number(value.toFixed(value < 10 ? 2 : 0))}${unit && ` ${unit}`}`

const noteOf = (result: Result): string => {
  const { question, group = '', note = '' } = result
  const attempts = isMet(result) === false && (missedGoals[question] ?? missedGoals[group])
  return [note, ...(attempts ? [`Tried: ${attempts}`] : [])].filter(Boolean).join('. ')
}

/** All answers so far, as a Markdown table: question, goal, figure, met or not. */
export const formatResults = (all: readonly Result[]): string =>
  table(
    ['question', 'goal', 'figure', 'met', 'note'],
    all.map((result) => {
      const { question, goal, value, shown } = result
      const aim = goal ? `${goal.at === 'least' ? '≥' : '≤'} ${written(goal.value, goal.unit)}` : 'reported'
      const met = isMet(result)
      return [
        question,
        aim,
        shown ?? written(value, goal?.unit),
        met === undefined ? '' : met ? 'yes' : '**no**',
        noteOf(result),
      ]
    }),
  )
