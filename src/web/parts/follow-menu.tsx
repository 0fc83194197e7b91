import * as Ariakit from '@ariakit/react'
import { FollowButton } from './follow-button'
import { FollowChoices, type FollowChoicesProps } from './follow-choices'

/** Shows what of a post or thread reaches the inbox, and changes it. */
export const FollowMenu = ({ level, choose }: FollowChoicesProps) => (
  <Ariakit.MenuProvider placement="bottom-end">
    <Ariakit.MenuButton render={<FollowButton level={level} aria-busy={level === undefined} />} />
    <Ariakit.Menu
      className="menu"
      gutter={4}
      portal
      preserveTabOrder={false}
      wrapperProps={{ role: 'region', 'aria-label': 'Notifications' }}
      unmountOnHide
    >
      <FollowChoices level={level} choose={choose} />
    </Ariakit.Menu>
  </Ariakit.MenuProvider>
)
