import * as Ariakit from '@ariakit/react'
import { FollowButton } from './follow-button'
import { FollowChoices, type FollowChoicesProps } from './follow-choices'
import { MenuList } from './menu'

/** Shows what of a post or thread reaches the inbox, and changes it. */
export const FollowMenu = ({ level, choose }: FollowChoicesProps) => (
  <Ariakit.MenuProvider placement="bottom-end">
    <Ariakit.MenuButton render={<FollowButton level={level} aria-busy={level === undefined} />} />
    <MenuList label="Notifications">
      <FollowChoices level={level} choose={choose} />
    </MenuList>
  </Ariakit.MenuProvider>
)
