import * as Ariakit from '@ariakit/react'
import type { FollowLevel } from '../../contract/follows'
import { followIcons } from './follow-button'
import { Icon } from './icon'

const choices: [FollowLevel, string][] = [
  ['all', 'All activity'],
  ['mentions', 'Mentions only'],
  ['none', 'Nothing'],
]

export interface FollowChoicesProps {
  /** Undefined while it is loading. */
  level: FollowLevel | undefined
  choose(level: FollowLevel): void
}

/** The part of a menu that chooses what of a post, thread or channel reaches the inbox. */
export const FollowChoices = ({ level, choose }: FollowChoicesProps) => (
  <Ariakit.MenuGroup>
    <Ariakit.MenuGroupLabel className="meta menu-label">Notify me about</Ariakit.MenuGroupLabel>
    {choices.map(([choice, label]) => (
      <Ariakit.MenuItem
        key={choice}
        className="menu-item"
        role="menuitemradio"
        aria-checked={choice === level}
        onClick={() => choose(choice)}
      >
        <Icon name={followIcons[choice]} />
        {label}
        {choice === level && (
          <span className="menu-check">
            <Icon name="check" />
          </span>
        )}
      </Ariakit.MenuItem>
    ))}
  </Ariakit.MenuGroup>
)
