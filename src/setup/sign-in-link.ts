import { hashSecret, newSecret } from '../domain/secrets'
import type { Links } from '../records/links'
import type { Writer } from '../store/db'
import { insertSignInLink } from '../store/sign-in-links'

export const LINK_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

/** A link that signs a member in, once, within a week. */
export async function newSignInLink(
  { db, links, now, workspaceKey }: { db: Writer; links: Links; now: number; workspaceKey: number },
  authorKey: number,
): Promise<string> {
  const secret = newSecret()
  await insertSignInLink(db, {
    hash: hashSecret(secret),
    workspace_key: workspaceKey,
    author_key: authorKey,
    created_at: now,
    expires_at: now + LINK_LIFETIME_MS,
  })
  return `${links.base}/sign-in?token=${secret}`
}
