import { FILE_ID } from '../../contract/file-ids'
import type { DraftRow, DraftVersionRow } from '../../store/drafts'
import { removeReferences, setReferences } from '../../store/files/references'
import { findVisibleFiles } from '../../store/files/visible'
import type { WriteContext } from '../context'

const FILE_IDS = new RegExp(`\\b${FILE_ID}\\b`, 'g')

/** A draft with its other versions. */
export type WholeDraft = DraftRow & { others: readonly DraftVersionRow[] }

const idsIn = (draft: WholeDraft): string[] =>
  [draft, ...draft.others].flatMap(({ content_markdown }) => content_markdown.match(FILE_IDS) ?? [])

/**
 * Stores which uploads of its owner a draft and its other versions reference, so that they are kept and stay visible to the owner.
 * Files of others are erased with the last record that references them. A draft is saved while it is typed, so for speed its
 * Markdown is not parsed: an id in a code block counts, too. `before` is the draft as it was, if there was one.
 */
export async function storeDraftReferences(
  { db, viewer, now }: WriteContext,
  draft: WholeDraft,
  before: WholeDraft | undefined,
) {
  const ids = new Set(idsIn(draft))
  if (ids.size === 0 && (!before || idsIn(before).length === 0)) return
  const files = await findVisibleFiles(db, viewer, [...ids])
  const { key, workspace_key, author_key: owner_key } = draft
  const keys = files.filter((file) => file.author_key === owner_key).map((file) => file.key)
  await setReferences(db, { type: 'draft', key, workspace_key, owner_key }, keys, now)
}

export const removeDraftReferences = ({ db, now }: WriteContext, { key }: DraftRow) =>
  removeReferences(db, 'draft', [key], now)
