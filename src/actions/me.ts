import type { Input } from '../contract'
import { toAuthor } from '../records/authors'
import type { ReadContext } from './context'

export async function get({ viewer, links }: ReadContext, _: Input<'me.get'>) {
  const { author, workspace, role, scopes } = viewer
  return {
    author: toAuthor(links, author.card),
    role,
    scopes: [...scopes],
    workspace: { id: workspace.id, slug: workspace.slug, name: workspace.name },
  }
}
