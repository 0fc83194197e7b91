import { sql } from 'kysely'
import type { Viewer, WebhookOwner } from '../../domain/permissions'
import { prepare, type Reader, type RowOf } from '../engines/db'
import { storedAuthor } from '../lists/record-json'
import { toViewer } from '../people/authors'

const ownerOfWebhook = prepare((db, param) =>
  db
    .selectFrom('webhooks as h')
    .innerJoin('workspaces as w', 'w.key', 'h.workspace_key')
    .innerJoin('authors as a', 'a.key', 'h.author_key')
    .leftJoin('members as m', 'm.author_key', 'h.author_key')
    .leftJoin('apps as p', 'p.author_key', 'h.author_key')
    .where('h.key', '=', param<number>('webhook'))
    .select(['h.is_enabled', 'm.role', 'm.is_deactivated', 'p.author_key as app_key'])
    .select(['w.key as workspace_key', 'w.id as workspace_id', 'w.slug as workspace_slug'])
    .select(['w.name as workspace_name', 'a.key as author_key', 'a.id as author_id', 'a.type as author_type'])
    .select(['a.name as author_name', storedAuthor('a').as('author')])
    .select((eb) =>
      eb
        .selectFrom('tokens as t')
        .whereRef('t.workspace_key', '=', 'h.workspace_key')
        .whereRef('t.author_key', '=', 'h.author_key')
        .where('t.kind', '=', 'api')
        .where('t.scopes', 'like', '%admin%')
        .where((inner) =>
          inner.or([inner('t.expires_at', 'is', null), inner('t.expires_at', '>', param<number>('now'))]),
        )
        .select(sql<number>`count(*)`.as('count'))
        .as('admin_tokens'),
    ),
)

export interface WebhookOwnership {
  isEnabled: boolean
  owner: WebhookOwner
  /** The owner with all their rights: the webhook delivers what they can see. */
  viewer: Viewer
}

/** Whether a webhook is enabled, and who owns it, as of now; undefined if it was deleted. Queried before each delivery. */
export async function findWebhookOwner(
  db: Reader,
  webhookKey: number,
  now: number,
): Promise<WebhookOwnership | undefined> {
  const [row] = await ownerOfWebhook(db, [], { webhook: webhookKey, now })
  return row && { isEnabled: row.is_enabled, owner: toOwner(row), viewer: toViewer(row, ['admin']) }
}

const toOwner = (row: RowOf<typeof ownerOfWebhook>): WebhookOwner => ({
  type: row.author_type,
  role: row.role,
  isDeactivated: row.is_deactivated ?? false,
  isDeletedApp: row.author_type === 'app' && row.app_key === null,
  hasAdminToken: row.admin_tokens! > 0,
})
