import { type DraftRow, findOtherVersions } from '../../store/drafts'
import { removeReferences, setReferences } from '../../store/files/references'
import { findVisibleFiles } from '../../store/files/visible'
import type { WriteContext } from '../context'

const FILE_IDS = /\bfile_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

/**
 * Stores which uploads of its owner a draft and its other versions reference, so that they are kept and stay visible to the owner.
 * Files of others are erased with the last record that references them. A draft is saved while it is typed, so for speed its
 * Markdown is not parsed: an id in a code block counts, too.
 */
export async function storeDraftReferences({ db, viewer, now }: WriteContext, draft: DraftRow) {
  const texts = [draft, ...(await findOtherVersions(db, [draft.key]))]
  const ids = new Set(texts.flatMap(({ content_markdown }) => content_markdown.match(FILE_IDS) ?? []))
  const files = await findVisibleFiles(db, viewer, [...ids])
  const { key, workspace_key, author_key: owner_key } = draft
  const keys = files.filter((file) => file.author_key === owner_key).map((file) => file.key)
  await setReferences(db, { type: 'draft', key, workspace_key, owner_key }, keys, now)
}

export const removeDraftReferences = ({ db, now }: WriteContext, { key }: DraftRow) =>
  removeReferences(db, 'draft', [key], now)
