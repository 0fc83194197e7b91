import { useQuery } from '@tanstack/react-query'
import type { Edit } from '../../contract/edits'
import { MAX_RECORD_IDS } from '../../contract/record-ids'
import type { EventHandlers } from './event-handlers'
import { cache, parley } from './parley'

const editKey = (id: string) => ['edit', id]

/** When a post or a comment was edited, and what wrote it. All that are asked for at once go into one request. */
export const useEdit = (id: string, isEnabled: boolean): Edit | undefined =>
  useQuery({ queryKey: editKey(id), queryFn: () => loadEdit(id), enabled: isEnabled }).data ?? undefined

interface Waiting {
  answer(edit: Edit | null): void
  fail(error: unknown): void
}

let waiting = new Map<string, Waiting[]>()

function loadEdit(id: string): Promise<Edit | null> {
  if (waiting.size === 0) queueMicrotask(loadWaiting)
  return new Promise((answer, fail) => waiting.set(id, [...(waiting.get(id) ?? []), { answer, fail }]))
}

function loadWaiting() {
  const all = waiting
  waiting = new Map()
  const ids = [...all.keys()]
  for (let at = 0; at < ids.length; at += MAX_RECORD_IDS) void loadBatch(ids.slice(at, at + MAX_RECORD_IDS), all)
}

async function loadBatch(ids: string[], all: Map<string, Waiting[]>) {
  try {
    const { data } = await parley.edits.list({ ids })
    const edits = new Map(data.map((edit) => [edit.id, edit]))
    for (const id of ids) for (const { answer } of all.get(id)!) answer(edits.get(id) ?? null)
  } catch (error) {
    for (const id of ids) for (const { fail } of all.get(id)!) fail(error)
  }
}

/** A new comment or message has not been edited, and its event says what wrote it: nobody has to ask. */
export const markUnedited = (id: string, via?: { name: string } | null) =>
  void cache.setQueryData<Edit | null>(
    editKey(id),
    via ? { id, edited_at: null, answer_deleted_at: null, via: via.name, resolved_via: null } : null,
  )

const refetchEdit = (id: string) => void cache.invalidateQueries({ queryKey: editKey(id) })

export const editEventHandlers: EventHandlers = {
  'post.updated': ({ data }) => refetchEdit(data.id),
  'post.resolved': ({ data }) => refetchEdit(data.id),
  'comment.updated': ({ data }) => refetchEdit(data.id),
  // It may have been the answer to the post.
  'comment.deleted': ({ data }) => refetchEdit(data.subject_id),
  'comment.created': ({ data, via }) => {
    const isPostOpen = cache.getQueryState(editKey(data.subject_id)) !== undefined
    if (isPostOpen) markUnedited(data.id, via)
  },
  'message.created': ({ data, via }) => markUnedited(data.id, via),
}
