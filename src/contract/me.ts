import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { Role } from './members'
import { operation, scopes } from './operation'
import { Choice, Id, Nullable, Shape } from './page'

export const Me = Shape('Me', {
  author: Author,
  role: Nullable(Role),
  scopes: Type.Array(Choice(scopes)),
  workspace: Shape('Workspace', { id: Id, slug: Type.String(), name: Type.String() }),
})
export type Me = Static<typeof Me>

export const me = {
  get: operation({
    method: 'GET',
    path: '/v2/me',
    summary: 'Whom the token stands for, in which workspace, with which scopes.',
    description: '`role` is null for an app.',
    access: 'read',
    output: Me,
    errors: [],
  }),
}
