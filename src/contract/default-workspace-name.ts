/** The name of the first workspace, unless the operator chose another one. */
export const DEFAULT_WORKSPACE_NAME = 'Home'
