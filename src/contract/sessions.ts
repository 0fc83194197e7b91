import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { Body, Id, Shape, Timestamp } from './page'

/** A sign-in and its end, as the log tells it. */
export const SessionNote = Shape(
  'SessionNote',
  { id: Id, name: Type.String(), member: Author },
  'Who signed in, where.',
)

/** What `POST /session` takes: a sign-in link's token, or a password. */
export const SignIn = Type.Union([
  Body({ link: Type.String({ minLength: 1, maxLength: 200 }) }),
  Body({
    workspace: Type.Optional(Type.String({ maxLength: 200, description: 'Its slug, where there are several.' })),
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 200 }),
  }),
])
export type SignIn = Static<typeof SignIn>

/** What `POST /session/link` takes. */
export const LinkQuestion = Body({ link: Type.String({ minLength: 1, maxLength: 200 }) })

const Place = Shape('Place', { slug: Type.String(), name: Type.String() })

/** What `POST /session` answers. */
export const SignedIn = Shape('SignedIn', {
  member: Shape('SignedInMember', { id: Id, name: Type.String() }),
  workspace: Place,
  expires_at: Timestamp,
})
export type SignedIn = Static<typeof SignedIn>

/** What `POST /session/link` answers. */
export const LinkTold = Shape('LinkTold', {
  name: Type.String(),
  email: Type.String(),
  workspace: Place,
  expires_at: Timestamp,
})
export type LinkTold = Static<typeof LinkTold>

/** What `POST /session/token` answers. */
export const PageToken = Shape('PageToken', { token: Type.String(), expires_at: Timestamp })
export type PageToken = Static<typeof PageToken>
