import { ApiError } from '../../../client'
import { getFieldError } from '../../parts/field'

/** What is wrong with a channel name: invalid or taken. */
export const getNameError = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === 'name_taken' ? error.detail : getFieldError(error, 'name')
