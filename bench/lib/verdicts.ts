import { table } from './figures'
import { tried } from './tried'

/** An answer to one question: what was measured, beside what was aimed at. */
export interface Verdict {
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

const verdicts: Verdict[] = []

export const give = (verdict: Verdict) => void verdicts.push(verdict)
export const given = (): readonly Verdict[] => verdicts

export const isMet = ({ goal, value }: Verdict): boolean | undefined =>
  goal && (goal.at === 'least' ? value >= goal.value : value <= goal.value)

const written = (value: number, unit = '') => `${Number(value.toFixed(value < 10 ? 2 : 0))}${unit && ` ${unit}`}`

const noteOf = (verdict: Verdict): string => {
  const { question, group = '', note = '' } = verdict
  const attempts = isMet(verdict) === false && (tried[question] ?? tried[group])
  return [note, ...(attempts ? [`Tried: ${attempts}`] : [])].filter(Boolean).join('. ')
}

/** All answers so far, as a Markdown table: question, goal, figure, met or not. */
export const verdictTable = (all: readonly Verdict[]): string =>
  table(
    ['question', 'goal', 'figure', 'met', 'note'],
    all.map((verdict) => {
      const { question, goal, value, shown } = verdict
      const aim = goal ? `${goal.at === 'least' ? '≥' : '≤'} ${written(goal.value, goal.unit)}` : 'reported'
      const met = isMet(verdict)
      return [
        question,
        aim,
        shown ?? written(value, goal?.unit),
        met === undefined ? '' : met ? 'yes' : '**no**',
        noteOf(verdict),
      ]
    }),
  )
