import Type, { type Static } from 'typebox'
import { Choice, Id, Shape } from './page'

export const AvatarUrls = Shape('AvatarUrls', {
  xs: Type.String(),
  sm: Type.String(),
  base: Type.String(),
  lg: Type.String(),
  xl: Type.String(),
  xxl: Type.String(),
})
export type AvatarUrls = Static<typeof AvatarUrls>

const authorTypes = ['app', 'member'] as const

/** An app or a member, as the author of something. */
export const Author = Shape('Author', {
  avatar_urls: AvatarUrls,
  name: Type.String(),
  id: Id,
  type: Choice(authorTypes),
})
export type Author = Static<typeof Author>
