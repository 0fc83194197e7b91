import Type, { type Static } from 'typebox'
import { operation, picture } from './operation'
import { Author, Nullable, Shape, Timestamp } from './shapes'

/** How many custom emoji a workspace can have. */
export const MAX_CUSTOM_EMOJI = 500

export const CustomEmoji = Shape('CustomEmoji', {
  name: Type.String({ description: 'Its name, as in `party-parrot`.' }),
  url: Type.String({
    description: 'The URL of a square WebP image, 128 pixels wide. The image at this URL never changes.',
  }),
  created_at: Timestamp,
  created_by: Nullable(Author, 'Null for guests, who do not see everyone.'),
})
export type CustomEmoji = Static<typeof CustomEmoji>

const params = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) })

export const emoji = {
  list: operation({
    method: 'GET',
    path: '/v2/emoji',
    depends: 'content',
    summary: 'List the custom emoji of the workspace.',
    description: `Lists all custom emoji, sorted by name. A workspace can have up to ${MAX_CUSTOM_EMOJI}.`,
    access: 'read',
    output: Type.Object({ data: Type.Array(CustomEmoji) }, { additionalProperties: false }),
    errors: [],
  }),
  set: operation({
    method: 'PUT',
    path: '/v2/emoji/:name',
    summary: 'Add a custom emoji, or replace its picture.',
    description:
      'The name consists of 2 to 32 lower-case letters, digits, `_` or `-`. Send the image as the request body: PNG, JPEG, WebP or GIF, within the limit for files (`GET /v2/files/limits`) and with at most 64 million pixels. Parley keeps the square in the middle, without animation.',
    access: 'admin',
    params,
    picture: picture(128),
    output: CustomEmoji,
    errors: ['not_found', 'too_many_emoji', 'storage_unavailable', 'storage_full'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/emoji/:name',
    summary: 'Delete a custom emoji.',
    description: 'Reactions with it are kept, and show its name instead of its picture.',
    access: 'admin',
    params,
    errors: ['not_found'],
  }),
}
