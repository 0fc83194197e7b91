import { useQuery } from '@tanstack/react-query'
import type { DraftVersion, ListedDraft } from '../../contract/drafts'
import { keys } from './cache/keys'

/** The drafts on the server; undefined until they are loaded. What synchronizes them is loaded after the page. */
export const useDrafts = (): ListedDraft[] | undefined =>
  useQuery({ queryKey: keys.drafts, queryFn: async () => (await import('./draft-sync')).loadDrafts() }).data

/** Texts of other devices that were replaced by a device that had not seen them. */
export const useOtherVersions = (subjectId: string | undefined): DraftVersion[] =>
  useDrafts()?.find(({ subject_id }) => subject_id === subjectId)?.others ?? []
