import { useState } from 'react'
import { readFilter, writeFilter } from '../../data/search'
import { useEditedText } from '../../parts/use-edited-text'
import { Choice } from './choice'

const DAY_MS = 86_400_000
/** The day before the last `days` days, of which today is one. The server's days are in UTC. */
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

const presets: [days: number, label: string][] = [
  [1, 'Today'],
  [7, 'Past 7 days'],
  [30, 'Past 30 days'],
  [365, 'Past year'],
]
const CUSTOM = 'custom'

/** Common periods, and two fields for any other. */
export function DateFilter({ q, change }: { q: string; change(q: string): void }) {
  const [isCustom, setCustom] = useState(false)
  const after = readFilter(q, 'after')
  const before = readFilter(q, 'before')
  const preset = before === undefined ? presets.find(([days]) => dayBefore(days) === after)?.[0] : undefined
  const isOther = preset === undefined && (after !== undefined || before !== undefined)
  const areDaysShown = isOther || isCustom
  const choose = (value: string | undefined) => {
    setCustom(value === CUSTOM)
    if (value === CUSTOM) return
    const since = value === undefined ? undefined : dayBefore(Number(value))
    change(writeFilter(writeFilter(q, 'before', undefined), 'after', since))
  }
  return (
    <>
      <Choice
        label="Date"
        value={areDaysShown ? CUSTOM : preset?.toString()}
        choose={choose}
        options={[
          ['', 'Any time'],
          ...presets.map(([days, label]) => [days.toString(), label] as const),
          [CUSTOM, 'Custom dates'],
        ]}
      />
      {areDaysShown && (
        <>
          <DayField label="After" value={after} choose={(day) => change(writeFilter(q, 'after', day))} />
          <DayField label="Before" value={before} choose={(day) => change(writeFilter(q, 'before', day))} />
        </>
      )}
    </>
  )
}

interface DayFieldProps {
  label: string
  value: string | undefined
  choose(day: string | undefined): void
}

/** While the year 2026 is typed, the field holds the years 2, 20 and 202. */
const FIRST_DAY = '1000-01-01'
/** A query can also have a month or a year, which a field for days cannot show. */
const DAY = /^\d{4}-\d\d-\d\d$/

function DayField({ label, value: typed = '', choose }: DayFieldProps) {
  const value = DAY.test(typed) ? typed : ''
  const [text, setText] = useEditedText(value)
  const type = (day: string) => {
    setText(day)
    if (day === '' || day >= FIRST_DAY) choose(day || undefined)
  }
  return (
    <label className="pill day" data-chosen={typed !== '' || undefined}>
      {label}
      <input type="date" value={text} onChange={(event) => type(event.target.value)} />
    </label>
  )
}
