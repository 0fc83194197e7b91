import type { Viewer } from '../../domain/permissions'
import type { Writer } from '../../store/db'
import { closeWorkspace, lockPassword } from '../../store/passwords'
import { deleteSessionsOf } from '../../store/sessions'
import { deleteSignInLinkOf } from '../../store/sign-in-links'
import { deleteTokensOf } from '../../store/tokens'

/**
 * Ends everything by which a member gets into the workspace, for good: sessions with the tokens of their pages, API
 * tokens, the sign-in link, and that the person's password opens it. It is one event, `member.deactivated`, however much
 * there was: streams of the member end with it.
 */
export async function endAccess(db: Writer, { workspace }: Viewer, authorKey: number) {
  const { userKey } = await lockPassword(db, authorKey)
  await deleteSessionsOf(db, workspace.key, authorKey)
  await deleteTokensOf(db, workspace.key, authorKey)
  await deleteSignInLinkOf(db, authorKey)
  await closeWorkspace(db, userKey, workspace.key)
}
