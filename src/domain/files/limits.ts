/** What the operator allows. */
export interface FileLimits {
  maxFileBytes: number
  /** For all files of a workspace; null for no limit. */
  quotaBytes: number | null
  hasImageProxy: boolean
}
