import type { Viewer } from '../../domain/permissions'
import type { Referrer } from '../../store/files/references'
import { findAuthorViewer } from '../../store/viewers'
import type { WriteContext } from '../context'

/** The text that an edit replaces. */
export interface OldText {
  author_key: number
  html: string
  findMarkdown: () => Promise<string>
  referrer: Omit<Referrer, 'workspace_key'>
}

interface Rights<Found> {
  /** Whether the old text showed it. */
  wasShown: (found: Found) => boolean
  /** Those that its author can see. */
  findVisible: (author: Viewer, ids: readonly string[]) => Promise<readonly { id: string }[]>
}

/**
 * Of the files or people that an editor can see, those that the text may show. If someone else wrote it, these are the ones it
 * showed before, and those that its author can see at this moment, too. Otherwise, anyone could write the id of something hidden
 * from them, and an admin who corrects a typo would publish it.
 */
export async function filterForAuthor<Found extends { id: string }>(
  { db, viewer }: WriteContext,
  old: OldText | undefined,
  found: Found[],
  findRights: (old: OldText) => Promise<Rights<Found>>,
): Promise<Found[]> {
  if (!old || old.author_key === viewer.author.key || found.length === 0) return found
  const { wasShown, findVisible } = await findRights(old)
  const added = found.filter((each) => !wasShown(each)).map(({ id }) => id)
  const author = added.length > 0 ? await findAuthorViewer(db, viewer.workspace, old.author_key) : undefined
  const visible = new Set((author ? await findVisible(author, added) : []).map(({ id }) => id))
  return found.filter((each) => wasShown(each) || visible.has(each.id))
}
