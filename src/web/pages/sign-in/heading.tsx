import type { ReactNode } from 'react'
import { readAccount } from '../../data/cache/storage'
import { WorkspaceIcon } from '../../parts/workspace-icon'

/** The server names the workspace in the page, and its icon, if it is the only one. Otherwise, it is the one of the session that has ended. */
export const getWorkspaceName = () =>
  document.documentElement.dataset.workspace ?? readAccount()?.workspace.name ?? 'Parley'
const getWorkspaceIcon = () => {
  const { workspace, workspaceIcon } = document.documentElement.dataset
  return (workspace === undefined ? readAccount()?.workspace.icon_url : workspaceIcon) ?? null
}

/** The workspace to sign in to. */
export const Heading = ({ workspace, children }: { workspace: string; children?: ReactNode }) => (
  <>
    <WorkspaceIcon name={workspace} src={workspace === getWorkspaceName() ? getWorkspaceIcon() : null} />
    <h1 dir="auto">{children ?? `Sign in to ${workspace}`}</h1>
  </>
)
