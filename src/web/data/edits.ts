import { useQuery } from '@tanstack/react-query'
import type { Edit } from '../../contract/edits'
import { batchById } from './cache/batches'
import { keys } from './cache/keys'
import { cache, parley } from './cache/parley'

const loadEdit = batchById<Edit | null>(async (ids) => {
  const { data } = await parley.edits.list({ ids })
  return new Map(data.map((edit) => [edit.id, edit]))
}, null)

/** When a post or a comment was edited, and what wrote it. */
export const useEdit = (id: string, isEnabled: boolean): Edit | undefined =>
  useQuery({ queryKey: keys.edit(id), queryFn: () => loadEdit(id), enabled: isEnabled }).data ?? undefined

/** A new comment or message has not been edited, and its event says what wrote it: nobody has to ask. */
export const markUnedited = (id: string, via?: { name: string } | null) =>
  void cache.setQueryData<Edit | null>(
    keys.edit(id),
    via ? { id, edited_at: null, answer_deleted_at: null, via: via.name, resolved_via: null } : null,
  )
