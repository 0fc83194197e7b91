import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { DisplayName, Role } from './members'
import { operation, scopes } from './operation'
import { Body, Choice, Id, Nullable, Shape } from './page'

export const Me = Shape('Me', {
  author: Author,
  role: Nullable(Role),
  scopes: Type.Array(Choice(scopes)),
  has_password: Nullable(Type.Boolean(), 'Whether one can sign in to this workspace with a password; null for an app.'),
  workspace: Shape('Workspace', { id: Id, slug: Type.String(), name: Type.String() }),
})
export type Me = Static<typeof Me>

const CurrentPassword = Type.String({ maxLength: 200 })

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
  update: operation({
    method: 'PATCH',
    path: '/v2/me',
    summary: 'Change your own name.',
    access: 'read',
    tokenScope: 'write',
    body: Body({ display_name: Type.Optional(DisplayName) }),
    output: Me,
    errors: ['forbidden'],
  }),
  setAvatar: operation({
    method: 'PUT',
    path: '/v2/me/avatar',
    summary: 'Show a picture of yours instead of your initials.',
    description:
      'The body is the picture: PNG, JPEG, WebP or GIF, at most 1 MiB and 25 million pixels. The square in its middle is kept, and nothing else that the file says.',
    access: 'read',
    tokenScope: 'write',
    file: { types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] },
    errors: ['forbidden'],
  }),
  deleteAvatar: operation({
    method: 'DELETE',
    path: '/v2/me/avatar',
    summary: 'Show your initials again.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
  setPassword: operation({
    method: 'PUT',
    path: '/v2/me/password',
    summary: 'Choose a password, or another one.',
    description:
      'A person has one password, which opens the workspaces it was chosen in. Choosing one opens this workspace; changing it signs out all other browsers, and ends the sign-in links, in every workspace it opens. The current password is needed where there is one, unless you signed in within the last ten minutes and it opens no other workspace. If you have one that does not open this workspace yet, send it as `password` or as `current_password`.',
    access: 'read',
    tokenScope: 'admin',
    body: Body({
      password: Type.String({ minLength: 8, maxLength: 200 }),
      current_password: Type.Optional(CurrentPassword),
    }),
    errors: ['forbidden'],
  }),
  deletePassword: operation({
    method: 'DELETE',
    path: '/v2/me/password',
    summary: 'Have no password here: sign in to this workspace with links only.',
    description:
      'Other workspaces stay open to the password. The current password is needed, unless you signed in within the last ten minutes.',
    access: 'read',
    tokenScope: 'admin',
    body: Body({ current_password: Type.Optional(CurrentPassword) }),
    errors: ['forbidden'],
  }),
}
