import { useQuery } from '@tanstack/react-query'
import type { Edit } from '../../contract/edits'
import type { EventOf } from '../../contract/events'
import { batchById } from './cache/batches'
import { cache, parley } from './cache/parley'

const editKey = (id: string) => ['edit', id]

const loadEdit = batchById<Edit | null>(async (ids) => {
  const { data } = await parley.edits.list({ ids })
  return new Map(data.map((edit) => [edit.id, edit]))
}, null)

/** When a post or a comment was edited, and what wrote it. */
export const useEdit = (id: string, isEnabled: boolean): Edit | undefined =>
  useQuery({ queryKey: editKey(id), queryFn: () => loadEdit(id), enabled: isEnabled }).data ?? undefined

/** A new comment or message has not been edited, and its event says what wrote it: nobody has to ask. */
export const markUnedited = (id: string, via?: { name: string } | null) =>
  void cache.setQueryData<Edit | null>(
    editKey(id),
    via ? { id, edited_at: null, answer_deleted_at: null, via: via.name, resolved_via: null } : null,
  )

export const refetchEdit = (id: string) => void cache.invalidateQueries({ queryKey: editKey(id) })

export function handleComment({ data, via }: EventOf<'comment.created'>) {
  const isPostOpen = cache.getQueryState(editKey(data.subject_id)) !== undefined
  if (isPostOpen) markUnedited(data.id, via)
}
