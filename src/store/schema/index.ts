import type { AttentionTables } from './attention'
import type { ContentTables, DraftTables, ReactionTables, SavedTables } from './content'
import type { FileTables, SearchTables } from './files'
import type { LogTables } from './log'
import type { PeopleTables, SignInTables } from './people'
import type { NotificationTables, WebhookTables } from './webhooks'

/**
 * The tables, as both engines hold them. Keys are integers and stay inside; ids are TypeIDs and go out.
 * Times are milliseconds; booleans are stored as 0 or 1; key `0` means "none" where an index needs a value.
 */
export interface Tables
  extends PeopleTables,
    SignInTables,
    ContentTables,
    FileTables,
    DraftTables,
    SavedTables,
    ReactionTables,
    AttentionTables,
    LogTables,
    WebhookTables,
    NotificationTables,
    SearchTables {
  /** One row: the key that secrets are encrypted with. */
  secret_key: { id: number; fingerprint: string }
  schema_migrations: { number: number; name: string; applied_at: number }
}
