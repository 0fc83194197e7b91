import * as Ariakit from '@ariakit/react'
import type { ReactNode } from 'react'
import { Icon } from './icon'

export interface Option<Value extends string> {
  value: Value
  label: string
  /** What it means, under its label. */
  note?: string
}

interface Props<Value extends string> {
  label: string
  value: Value
  options: readonly Option<Value>[]
  choose(value: Value): void
  hint?: ReactNode
  autoFocus?: boolean
}

/** A choice of one, with what each means. */
export function SelectField<Value extends string>({ label, value, options, choose, hint, autoFocus }: Props<Value>) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Ariakit.SelectProvider value={value} setValue={choose}>
      <div className="field">
        <Ariakit.SelectLabel className="label">{label}</Ariakit.SelectLabel>
        <Ariakit.Select className="input select" autoFocus={autoFocus}>
          <span>{chosen?.label}</span>
          <Icon name="down" />
        </Ariakit.Select>
        {hint && <p className="hint">{hint}</p>}
      </div>
      <Ariakit.SelectPopover className="menu" gutter={4} sameWidth fixed unmountOnHide>
        {options.map((option) => (
          <Ariakit.SelectItem key={option.value} value={option.value} className="menu-item select-item">
            <span>
              {option.label}
              {option.note && <small>{option.note}</small>}
            </span>
            <Ariakit.SelectItemCheck />
          </Ariakit.SelectItem>
        ))}
      </Ariakit.SelectPopover>
    </Ariakit.SelectProvider>
  )
}
