import * as Ariakit from '@ariakit/react'
import { Icon, type IconName } from './icon'

export interface RemindChoice {
  label: string
  icon: IconName
  /** The time, beside the label. */
  note?: string
  run(): void
}

/** The part of a menu that chooses when to be reminded. */
export const RemindChoices = ({ choices }: { choices: readonly RemindChoice[] }) => (
  <Ariakit.MenuGroup>
    <Ariakit.MenuGroupLabel className="meta menu-label">Remind me</Ariakit.MenuGroupLabel>
    {choices.map(({ label, icon, note, run }) => (
      <Ariakit.MenuItem key={label} className="menu-item" onClick={run}>
        <Icon name={icon} />
        {label}
        {note && <span className="menu-time">{note}</span>}
      </Ariakit.MenuItem>
    ))}
  </Ariakit.MenuGroup>
)
