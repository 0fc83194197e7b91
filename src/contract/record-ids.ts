import Type from 'typebox'
import { Id } from './page'

/** How many records one request can ask about: a post and the comments of a long page. */
export const MAX_RECORD_IDS = 100

export const RecordIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_RECORD_IDS,
  description: 'Ids of posts, comments and messages, separated by commas, or repeated.',
})
