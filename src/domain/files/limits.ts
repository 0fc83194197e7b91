/** As in settings, and where progress is shown. */
export const MEGABYTE = 1_000_000

/** The limits that the operator has set. */
export interface FileLimits {
  maxFileBytes: number
  /** For all files of a workspace; null for no limit. */
  quotaBytes: number | null
  hasImageProxy: boolean
}
