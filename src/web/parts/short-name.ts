import type { Author } from '../../contract/shapes'

/** The first name of a person. The name of an app is not shortened: its first word may say nothing. */
export const getShortName = ({ type, name }: Author): string => (type === 'app' ? name : name.split(' ', 1)[0]!)
