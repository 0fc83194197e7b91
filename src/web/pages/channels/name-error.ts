import { ParleyError } from '../../../client'
import { getFieldError } from '../../parts/field'

/** What is wrong with the name of a channel: that it is no name, or that it is taken. */
export const getNameError = (error: unknown): string | undefined =>
  error instanceof ParleyError && error.code === 'name_taken' ? error.detail : getFieldError(error, 'name')
