import type { ColumnType, Generated } from 'kysely'
import type { Role } from '../../contract/members'

/** Workspaces, and the members and apps in them. */
export interface PeopleTables {
  workspaces: WorkspaceTable
  /** Accounts: one for each e-mail address. The id is not shown to anyone. */
  users: { key: Generated<number>; id: string; email: string; created_at: number }
  authors: AuthorTable
  members: MemberTable
  apps: {
    author_key: number
    workspace_key: number
    id: string
    name_fold: string
    created_at: number
    updated_at: number
  }
  pictures: PictureTable & { author_key: number }
  /** At most one for each workspace. */
  workspace_icons: PictureTable
}

interface PictureTable {
  workspace_key: number
  name: string
  created_at: number
  /** The bytes of pictures that were stored before there was a file storage. */
  image: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>
  /** The bytes of all others. */
  blob_key: ColumnType<number | null, number | null | undefined, number | null>
}

interface WorkspaceTable {
  key: Generated<number>
  id: string
  slug: string
  name: string
  revision: number
  /** Of the last change. */
  nonce: Generated<number>
  /** The last change whose event is no longer kept; 0 where all are. */
  pruned_revision: Generated<number>
  pruned_nonce: Generated<number>
  created_at: number
  updated_at: number
  /** The name of the file of its icon, escaped for a URL. */
  icon: string | null
  /** Whether an admin has finished or dismissed the checklist of the web app. */
  is_set_up: boolean
  admins_count: number
  members_count: number
  viewers_count: number
  guests_count: number
  apps_count: number
  /** The size of all files that are not erased yet. */
  files_bytes: Generated<number>
}

interface AuthorTable {
  key: Generated<number>
  workspace_key: number
  id: string
  type: 'app' | 'member'
  name: string
  /** The name of the file that shows it, escaped for a URL. */
  avatar: string
  /** `name`, `id` and `type` as JSON, see domain/record-fields.ts. */
  fields: string
  threads_count: number
  tokens_count: number
}

interface MemberTable {
  author_key: number
  workspace_key: number
  id: string
  user_key: number
  /** `user.id` in the API. Not that of the account, which would tell who is in other workspaces, too. */
  user_id: string
  role: Role
  is_deactivated: boolean
  created_at: number
  last_seen_at: number
  /** Everything up to this revision is read: first, what was there when they joined. */
  read_revision: Generated<number>
  /** Name and e-mail, folded: what `q` looks into. */
  search_text: string
  job_title: string | null
  /** A name of the IANA database. */
  time_zone: string | null
  /** `id` and `created_at` as JSON; of the user `id` and `email`. */
  fields: string
  user_fields: string
  /** The preferences that differ from the defaults, as JSON. */
  preferences: Generated<string>
  /** The last version that was given to one of their drafts. */
  draft_version: Generated<number>
}
