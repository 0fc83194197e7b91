import type { Viewer } from '../domain/permissions'

/** The operator of the server, who is not a member of the workspace and is above its rules. */
export const operatorOf = (workspace: { key: number; id: string; slug: string; name: string }): Viewer => ({
  workspace: { key: workspace.key, id: workspace.id, slug: workspace.slug, name: workspace.name },
  author: { key: 0, id: '', type: 'app', name: 'Operator', card: '' },
  role: null,
  scopes: ['admin'],
})
