import type { Viewer } from '../../domain/permissions'
import { endMailedLinksOf } from '../../store/account-links'
import type { Writer } from '../../store/db'
import { revokeHooksOf } from '../../store/hooks'
import { closeWorkspace, lockPassword } from '../../store/passwords'
import { deletePushSubscriptionsOf } from '../../store/push-subscriptions'
import { deleteSessionsOf } from '../../store/sessions'
import { deleteSignInLinkOf } from '../../store/sign-in-links'
import { deleteTokensOf } from '../../store/tokens'

/**
 * Ends all access of a member to the workspace: sessions with their page tokens, API tokens, incoming webhooks, links that
 * sign in, pushes and signing in by password. There is one event for all of it, `member.deactivated`, which also ends the member's streams.
 */
export async function endAccess(db: Writer, { workspace }: Viewer, authorKey: number) {
  const { userKey } = await lockPassword(db, authorKey)
  await deleteSessionsOf(db, workspace.key, authorKey)
  await deleteTokensOf(db, workspace.key, authorKey)
  await revokeHooksOf(db, workspace.key, authorKey)
  await deleteSignInLinkOf(db, authorKey)
  await endMailedLinksOf(db, authorKey)
  await deletePushSubscriptionsOf(db, authorKey)
  await closeWorkspace(db, userKey, workspace.key)
}
