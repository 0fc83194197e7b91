import type { ReactNode } from 'react'
import { WorkspaceIcon } from '../../parts/workspace-icon'

/** The server names the workspace in the page, and its icon, if it is the only one. */
export const getWorkspaceName = () => document.documentElement.dataset.workspace ?? 'Parley'
const getWorkspaceIcon = () => document.documentElement.dataset.workspaceIcon ?? null

/** The workspace to sign in to. */
export const Heading = ({ workspace, children }: { workspace: string; children?: ReactNode }) => (
  <>
    <WorkspaceIcon name={workspace} src={workspace === getWorkspaceName() ? getWorkspaceIcon() : null} />
    <h1 dir="auto">{children ?? `Sign in to ${workspace}`}</h1>
  </>
)
