import { useQuery } from '@tanstack/react-query'
import { DEFAULT_WORKSPACE_NAME } from '../../contract/browser/constants'
import type { Me } from '../../contract/me'
import type { ChannelMentions, Workspace } from '../../contract/workspace'
import { endpoints } from '../paths'
import { keys } from './cache/keys'
import { cache, parley } from './cache/parley'
import { useChannels } from './channels'
import { meQuery, refreshMe, useMe } from './me'

const putWorkspace = (workspace: Workspace) =>
  cache.setQueryData<Me>(meQuery.queryKey, (me) => me && { ...me, workspace })

export async function renameWorkspace(name: string) {
  putWorkspace(await parley.workspace.update({ name }))
}

export async function setChannelMentions(channel_mentions: ChannelMentions) {
  putWorkspace(await parley.workspace.update({ channel_mentions }))
}

export async function setMembersCreateChannels(members_create_channels: boolean) {
  putWorkspace(await parley.workspace.update({ members_create_channels }))
}

/** Hides the checklist of a new workspace for all admins. */
export async function finishSetup() {
  putWorkspace(await parley.workspace.update({ is_set_up: true }))
}

export async function setWorkspaceIcon(file: Blob) {
  await parley.workspace.setIcon({ file })
  await refreshMe()
}

export async function removeWorkspaceIcon() {
  await parley.workspace.deleteIcon()
  await refreshMe()
}

/** The version of the server. */
export const versionQuery = {
  queryKey: ['version'],
  queryFn: async () => {
    const document = (await (await fetch(endpoints.openApi)).json()) as { info: { version: string } }
    return document.info.version
  },
}

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
    queryKey: keys.membersCount,
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
