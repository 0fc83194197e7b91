import type { Me } from '../../contract/me'
import type { Workspace } from '../../contract/workspace'
import { endpoints } from '../paths'
import { meQuery, refreshMe } from './me'
import { cache, parley } from './parley'

export const putWorkspace = (workspace: Workspace) =>
  cache.setQueryData<Me>(meQuery.queryKey, (me) => me && { ...me, workspace })

export async function renameWorkspace(name: string) {
  putWorkspace(await parley.workspace.update({ name }))
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
