import type { ComponentProps } from 'react'
import type { FollowLevel } from '../../contract/follows'
import { Button } from './button'
import type { IconName } from './icon'

export const followIcons: Record<FollowLevel, IconName> = { all: 'bell', mentions: 'at', none: 'bell-off' }
const states: Record<FollowLevel, string> = { all: 'Following', mentions: 'Mentions only', none: 'Muted' }

interface Props extends ComponentProps<typeof Button> {
  /** Undefined while it is loading. */
  level: FollowLevel | undefined
}

/** Says how the member follows a post, thread or channel. */
export const FollowButton = ({ level = 'all', ...rest }: Props) => (
  <Button icon={followIcons[level]} variant="plain" className="follow" {...rest}>
    <span className="visually-hidden">Notifications: </span>
    <span>{states[level]}</span>
  </Button>
)
