import { useQuery } from '@tanstack/react-query'
import { DEFAULT_WORKSPACE_NAME } from '../../contract/browser/constants'
import { useChannels } from './channels'
import { useMe } from './me'
import { parley } from './parley'

export const MEMBERS_COUNT = ['members-count']

/** Whether the checklist of a new workspace is shown: to admins, until one of them dismisses it. */
export function useNeedsSetup(): boolean {
  const { role, workspace } = useMe()
  return role === 'admin' && !workspace.is_set_up
}

/** What has been done in a new workspace; undefined while that is loading. */
export function useSetupState() {
  const { workspace, has_password } = useMe()
  const channels = useChannels().data
  const membersCount = useQuery({
    queryKey: MEMBERS_COUNT,
    queryFn: async () => (await parley.members.list({ limit: 1 })).total_count,
  }).data
  if (!channels || membersCount === undefined) return undefined
  return {
    isNamed: workspace.name !== DEFAULT_WORKSPACE_NAME,
    hasPassword: has_password === true,
    hasInvited: membersCount > 1,
    hasChannel: channels.length > 1,
  }
}
