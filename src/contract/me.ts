import Type, { type Static } from 'typebox'
import { DisplayName, Profile, profileFields, Role } from './members'
import { notifications } from './notifications'
import { operation, picture, scopes } from './operation'
import { setup } from './setup'
import { Author, Body, Choice, Nullable, Shape } from './shapes'
import { Workspace } from './workspace'

export const Me = Shape('Me', {
  author: Author,
  role: Nullable(Role),
  scopes: Type.Array(Choice(scopes)),
  has_password: Nullable(Type.Boolean(), 'Whether one can sign in to this workspace with a password; null for an app.'),
  workspace: Workspace,
})
export type Me = Static<typeof Me>

export const EmailAddress = Shape('EmailAddress', {
  email: Type.String(),
  pending_email: Nullable(Type.String(), 'The address that waits to be confirmed by the link in the mail to it.'),
})
export type EmailAddress = Static<typeof EmailAddress>

const preferences = {
  enter_sends: Type.Boolean({ description: 'In threads, Enter sends the message and Shift+Enter starts a new line.' }),
  folded_sections: Type.Array(Choice(['favorites', 'channels', 'direct_messages']), {
    maxItems: 3,
    uniqueItems: true,
    description: 'The sections of the sidebar that are folded.',
  }),
  writes_markdown: Type.Boolean({ description: 'Composers show the Markdown itself, and not the formatted text.' }),
}

export const Preferences = Shape('Preferences', preferences)
export type Preferences = Static<typeof Preferences>

const CurrentPassword = Type.String({ maxLength: 200 })

export const me = {
  get: operation({
    method: 'GET',
    path: '/v2/me',
    depends: 'caller',
    summary: 'Get who you are: the member or app of the token, its workspace and its scopes.',
    description: 'Use it to check that a token works. `role` is null for an app.',
    access: 'read',
    output: Me,
    errors: [],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/me',
    summary: 'Change your own name.',
    description: 'For members only: apps cannot be renamed.',
    access: 'read',
    tokenScope: 'write',
    body: Body({ display_name: Type.Optional(DisplayName) }),
    output: Me,
    errors: ['forbidden'],
  }),
  updateProfile: operation({
    method: 'PATCH',
    path: '/v2/me/profile',
    summary: 'Change your own job title and time zone.',
    description: 'An empty text removes either.',
    access: 'read',
    tokenScope: 'write',
    body: Body(profileFields),
    output: Profile,
    errors: ['forbidden'],
  }),
  setAvatar: operation({
    method: 'PUT',
    path: '/v2/me/avatar',
    summary: 'Set your picture.',
    description:
      'Others see it instead of your initials. Send the picture as the request body: PNG, JPEG, WebP or GIF, within the limit for files (`GET /v2/files/limits`) and with at most 64 million pixels. Parley keeps the square in the middle, without the metadata of the file.',
    access: 'read',
    tokenScope: 'write',
    picture: picture(512),
    errors: ['forbidden', 'storage_unavailable', 'storage_full'],
  }),
  deleteAvatar: operation({
    method: 'DELETE',
    path: '/v2/me/avatar',
    summary: 'Remove your picture.',
    description: 'Others see your initials again. If you have no picture, nothing changes.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
  getPreferences: operation({
    method: 'GET',
    path: '/v2/me/preferences',
    depends: 'nothing',
    summary: 'Get your preferences for the web app.',
    description: 'They are the same on all your devices. Apps have none.',
    access: 'read',
    output: Preferences,
    errors: ['forbidden'],
  }),
  updatePreferences: operation({
    method: 'PATCH',
    path: '/v2/me/preferences',
    summary: 'Change your preferences for the web app.',
    description: 'Fields that are left out stay as they are. Nobody else sees them, and changing them causes no event.',
    access: 'read',
    tokenScope: 'write',
    body: Type.Partial(Body(preferences)),
    output: Preferences,
    errors: ['forbidden'],
  }),
  setPassword: operation({
    method: 'PUT',
    path: '/v2/me/password',
    summary: 'Set or change your password.',
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
    summary: 'Remove your password from this workspace.',
    description:
      'You can then sign in to it with links only; other workspaces still accept the password. The current password is needed, unless you signed in within the last ten minutes.',
    access: 'read',
    tokenScope: 'admin',
    body: Body({ current_password: Type.Optional(CurrentPassword) }),
    errors: ['forbidden'],
  }),
  getEmail: operation({
    method: 'GET',
    path: '/v2/me/email',
    depends: 'nothing',
    summary: 'Get your e-mail address.',
    description: 'If you are changing it, this also returns the new address, which has to be confirmed first.',
    access: 'read',
    output: EmailAddress,
    errors: ['forbidden'],
  }),
  changeEmail: operation({
    method: 'PUT',
    path: '/v2/me/email',
    summary: 'Change your e-mail address.',
    description:
      'Sends a link to the new address, which works once, within a day, and a notice to the old one. Nothing changes until the link is used. The current password is needed where it opens this workspace, unless you signed in within the last ten minutes. With it, the address changes in every workspace that the password opens; without it, in this one only, where a password that also opens others no longer works.',
    access: 'read',
    tokenScope: 'admin',
    body: Body({
      email: Type.String({ format: 'email', maxLength: 254 }),
      current_password: Type.Optional(CurrentPassword),
    }),
    output: EmailAddress,
    errors: ['forbidden', 'email_taken', 'mail_not_configured'],
  }),
  cancelEmailChange: operation({
    method: 'DELETE',
    path: '/v2/me/email',
    summary: 'Cancel the change of your e-mail address.',
    description: 'The link to confirm the new address no longer works. If you are not changing it, nothing happens.',
    access: 'read',
    tokenScope: 'admin',
    errors: ['forbidden'],
  }),
  ...setup,
  ...notifications,
}
