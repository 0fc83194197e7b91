export type Option = readonly [value: string, label: string]

export interface ChoiceProps {
  label: string
  value: string | undefined
  choose(value: string | undefined): void
  /** The first has no value: nothing is chosen. */
  options: Option[]
  className?: string
}

/** A choice of one, marked while something is chosen. What is typed but not among the options is an option as well. */
export const Choice = ({ label, value = '', choose, options, className = '' }: ChoiceProps) => (
  <select
    className={`pill ${className}`}
    aria-label={label}
    data-chosen={value !== '' || undefined}
    value={value}
    onChange={(event) => choose(event.target.value || undefined)}
  >
    {withValue(options, value).map(([option, text]) => (
      <option key={option} value={option}>
        {text}
      </option>
    ))}
  </select>
)

const withValue = (options: Option[], value: string): Option[] =>
  options.some(([option]) => option === value) ? options : [...options, [value, value]]
