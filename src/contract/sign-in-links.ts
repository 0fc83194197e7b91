import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Author, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

/** The data of sign-in link events. */
export const SignInLinkNote = Shape('SignInLinkNote', { id: Id, member: Author }, 'Whom the link signs in.')

export const OpenSignInLink = Shape(
  'OpenSignInLink',
  {
    id: Id,
    member: Author,
    created_by: Nullable(Author, 'Null where the link was made on the server’s command line.'),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  'A sign-in link that still works, without its secret.',
)
export type OpenSignInLink = Static<typeof OpenSignInLink>

export const signInLinks = {
  list: operation({
    method: 'GET',
    path: '/v2/sign-in-links',
    depends: 'nothing',
    summary: 'List the sign-in links that still work.',
    description: 'A member has at most one. Apps see none.',
    access: 'admin',
    query: listQuery(['created_at'], 'asc', {
      member_id: Type.Optional(Type.String({ description: 'Only the link of this member.' })),
    }),
    output: Page(OpenSignInLink),
    errors: ['not_found', 'invalid_cursor'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/sign-in-links/:id',
    summary: 'Revoke a sign-in link.',
    description: 'It takes effect at once: nobody can sign in with the link any more.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
}
