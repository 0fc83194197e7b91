import { sql } from 'kysely'
import type { Role } from '../contract/members'
import type { Viewer } from '../domain/permissions'
import type { WebhookOwner } from '../domain/webhook-owner'
import type { Reader } from './db'
import { authorCard } from './json'

interface OwnerRow {
  is_enabled: number
  workspace_key: number
  workspace_id: string
  workspace_slug: string
  workspace_name: string
  author_key: number
  author_id: string
  author_type: 'app' | 'member'
  author_name: string
  author_card: string
  role: Role | null
  is_deactivated: number | null
  app_key: number | null
  admin_tokens: number
}

export interface OwnedNow {
  isEnabled: boolean
  owner: WebhookOwner
  /** The owner as a viewer with all their rights: what they see is what the webhook delivers. */
  viewer: Viewer
}

/** Whether a webhook is on, and who owns it, as of now; undefined where it is gone. Asked before each delivery. */
export async function findWebhookOwner(db: Reader, webhookKey: number, now: number): Promise<OwnedNow | undefined> {
  const [row] = await db.prepared<OwnerRow>(
    'webhooks.owner',
    (slot) =>
      db
        .selectFrom('webhooks as h')
        .innerJoin('workspaces as w', 'w.key', 'h.workspace_key')
        .innerJoin('authors as a', 'a.key', 'h.author_key')
        .leftJoin('members as m', 'm.author_key', 'h.author_key')
        .leftJoin('apps as p', 'p.author_key', 'h.author_key')
        .where('h.key', '=', slot<number>('webhook'))
        .select(['h.is_enabled', 'm.role', 'm.is_deactivated', 'p.author_key as app_key'])
        .select(['w.key as workspace_key', 'w.id as workspace_id', 'w.slug as workspace_slug'])
        .select(['w.name as workspace_name', 'a.key as author_key', 'a.id as author_id', 'a.type as author_type'])
        .select(['a.name as author_name', authorCard('a').as('author_card')])
        .select((eb) =>
          eb
            .selectFrom('tokens as t')
            .whereRef('t.workspace_key', '=', 'h.workspace_key')
            .whereRef('t.author_key', '=', 'h.author_key')
            .where('t.kind', '=', 'api')
            .where('t.scopes', 'like', '%admin%')
            .where((inner) =>
              inner.or([inner('t.expires_at', 'is', null), inner('t.expires_at', '>', slot<number>('now'))]),
            )
            .select(sql<number>`count(*)`.as('count'))
            .as('admin_tokens'),
        ),
    { webhook: webhookKey, now },
  )
  return row && { isEnabled: row.is_enabled === 1, owner: toOwner(row), viewer: toViewer(row) }
}

const toOwner = (row: OwnerRow): WebhookOwner => ({
  type: row.author_type,
  role: row.role,
  isDeactivated: row.is_deactivated === 1,
  isDeletedApp: row.author_type === 'app' && row.app_key === null,
  hasAdminToken: row.admin_tokens > 0,
})

const toViewer = (row: OwnerRow): Viewer => ({
  workspace: { key: row.workspace_key, id: row.workspace_id, slug: row.workspace_slug, name: row.workspace_name },
  author: {
    key: row.author_key,
    id: row.author_id,
    type: row.author_type,
    name: row.author_name,
    card: row.author_card,
  },
  role: row.role,
  scopes: ['admin'],
})
