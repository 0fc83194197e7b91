import Type from 'typebox'
import { MAX_RECORD_IDS } from './constants'
import { Id } from './page'

export const RecordIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_RECORD_IDS,
  description: 'Ids of posts, comments and messages, separated by commas, or repeated.',
})
