/** Columns named `is_…` are stored as 0 or 1 on both engines. Rows have them as booleans. */
export const isBoolean = (column: string): boolean => column.startsWith('is_')
