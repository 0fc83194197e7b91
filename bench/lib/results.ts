import { paragraph, table } from './figures'
import type { Engine } from './settings'

/** One measured figure. */
export interface Result {
  /** Says what was measured; the figure from before is found by it. */
  name: string
  engine?: Engine
  value: number
  unit?: string
  goal?: { min: number } | { max: number }
  /** Shown in the short table at the top of the report. */
  isHeadline?: boolean
}

/** A table of the report, with everything that was measured. */
export interface Section {
  title: string
  text: string
}

const results: Result[] = []
const sections: Section[] = []

export const addResult = (result: Result) => void results.push(result)
export const getResults = (): readonly Result[] => results
export const getSections = (): readonly Section[] => sections

/** Adds a table to the report, and prints it. */
export function addSection(title: string, note: string, head: readonly string[], rows: readonly string[][]) {
  const text = `${paragraph(note)}\n\n${table(head, rows)}`
  sections.push({ title, text })
  console.log(`\n## ${title}\n\n${text}`)
}

export const isMet = ({ goal, value }: Result): boolean | undefined =>
  goal && ('min' in goal ? value >= goal.min : value <= goal.max)

export const formatGoal = ({ goal, unit }: Result): string =>
  goal ? ('min' in goal ? `≥ ${formatValue(goal.min, unit)}` : `≤ ${formatValue(goal.max, unit)}`) : ''

export const formatValue = (value: number, unit = ''): string => {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0
  return `${Number(value.toFixed(digits)).toLocaleString('en')}${unit && ` ${unit}`}`
}
