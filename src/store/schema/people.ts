import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { LinkRole } from '../../contract/invite-links'
import type { Role } from '../../contract/members'
import type { ChannelMentions } from '../../contract/workspace'

/** Workspaces, and the members and apps in them. */
export interface PeopleTables {
  workspaces: WorkspaceTable
  /** Accounts: one for each e-mail address. The id is not shown to anyone. */
  users: { key: Generated<number>; id: string; email: string; created_at: number }
  authors: AuthorTable
  members: MemberTable
  /** The channels that a member has placed in their sidebar, in the order of their positions. */
  sidebar_channels: { author_key: number; channel_key: number; is_favorite: boolean; position: number }
  /** Changes with everything that only this author sees: what they have read, follow, saved, their sidebar, drafts and inbox. */
  personal_states: { author_key: number; nonce: number }
  apps: {
    author_key: number
    workspace_key: number
    id: string
    name_fold: string
    created_at: number
    updated_at: number
  }
  groups: GroupTable
  group_members: {
    workspace_key: number
    group_key: number
    author_key: number
    /** The member's id, so that the list of a group is one index. */
    author_id: string
    created_at: number
  }
  /** How often an author mentioned many people at once within an hour from then on. */
  mention_uses: { author_key: number; kind: string; workspace_key: number; started_at: number; uses: number }
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
  /** The last change that others than one member can see. */
  content_revision: Generated<number>
  content_nonce: Generated<number>
  /** The revision of the last change that was not about a post, comment or message: it may have changed who may do what. */
  access_revision: Generated<number>
  /** The last change whose event is no longer kept; 0 where all are. */
  pruned_revision: Generated<number>
  pruned_nonce: Generated<number>
  created_at: number
  updated_at: number
  /** The name of the file of its icon, escaped for a URL. */
  icon: string | null
  /** Whether an admin has finished or dismissed the checklist of the web app. */
  is_set_up: boolean
  channel_mentions: Generated<ChannelMentions>
  /** `members_create_channels` in the API. */
  is_channel_creation_open: Generated<boolean>
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
  threads_count: number
  tokens_count: number
  /** Of the channels that they see and not everyone, see access/visibility-hash.ts; null where it is not known yet. */
  visibility_hash: string | null
}

interface GroupTable {
  key: Generated<number>
  id: string
  workspace_key: number
  name: string
  name_fold: string
  /** What it is sorted by: see contract/browser/natural-order.ts. */
  name_order: string
  description: string
  members_count: Generated<number>
  created_at: number
  updated_at: number
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
  /** The same as the API writes it. */
  created_time: GeneratedAlways<string>
  last_seen_at: number
  /** Everything up to this revision is read: first, what was there when they joined. */
  read_revision: Generated<number>
  /** The entries of their inbox up to this revision are read. */
  inbox_revision: Generated<number>
  /** Name and e-mail, folded: what `q` looks into. */
  search_text: string
  job_title: string | null
  /** A name of the IANA database. */
  time_zone: string | null
  /** Their preference `enter_sends`; null if they never changed it. */
  is_enter_send: ColumnType<boolean | null, boolean | null | undefined, boolean | null>
  /** Their preference `folded_sections`, separated by commas; null if they never changed it. */
  folded_sections: ColumnType<string | null, string | null | undefined, string | null>
  /** Their preference `writes_markdown`; null if they never changed it. */
  is_markdown_writer: ColumnType<boolean | null, boolean | null | undefined, boolean | null>
  /** The invite link they joined by; 0 for none. */
  link_key: Generated<number>
  /** The member who invited them; 0 for whoever operates the server. */
  invited_by_key: Generated<number>
  /** The first steps that they said are done, separated by commas. */
  setup_done: Generated<string>
  /** The last version that was given to one of their drafts. */
  draft_version: Generated<number>
}

/** What lets members and programs in. */
export interface SignInTables {
  tokens: TokenTable
  sessions: SessionTable
  passwords: { user_key: number; hash: string; changed_at: number }
  /** The workspaces that a person's password opens, with the member it signs in there. */
  password_workspaces: { user_key: number; workspace_key: number; author_key: number }
  sign_in_attempts: { subject: string; attempts: number; started_at: number }
  /** At most one for each member; gone once it was used. */
  sign_in_links: {
    key: Generated<number>
    id: string
    workspace_key: number
    author_key: number
    hash: string
    /** 0 for the operator of the server. */
    created_by_key: number
    created_at: number
    expires_at: number
  }
  invite_links: {
    key: Generated<number>
    id: string
    workspace_key: number
    hash: string
    /** The same secret, encrypted, so that the address can be shown again; null where the server had no key. */
    secret: string | null
    role: LinkRole
    email_domain: string | null
    max_uses: number | null
    uses_count: Generated<number>
    expires_at: number | null
    created_by_key: number
    created_at: number
  }
  /** The channels that those who join by a link are added to, as far as whoever chose them still sees them. */
  invite_link_channels: {
    link_key: number
    channel_key: number
    added_by_key: number
    /** When it was chosen: nobody joins one by a link that was made private since. */
    is_private: boolean
  }
  /** Addresses that want to join by a link, and were mailed a secret that confirms them. A mail that was tried twice has two. */
  pending_joins: {
    key: Generated<number>
    link_key: number
    email: string
    hash: string
    created_at: number
    expires_at: number
  }
  /**
   * The links in mails that let a person in, by the hash of their secret. A mail that was tried twice has two. A link to reset a
   * password has a row for each membership that it was mailed for: ending one of them ends nothing else.
   */
  account_links: {
    key: Generated<number>
    kind: 'sign_in' | 'password_reset' | 'email_change'
    mail_key: number
    user_key: number
    author_key: number
    hash: string
    created_at: number
    expires_at: number
  }
  /** The address that a member wants to have, until they confirm that it is theirs. */
  email_changes: {
    author_key: number
    user_key: number
    email: string
    /** They know the password: it changes wherever that opens, and not only here. */
    is_everywhere: boolean
    mail_key: number
    created_at: number
    expires_at: number
  }
}

interface TokenTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  /** `page`: of a browser that is signed in, for a few minutes. */
  kind: 'api' | 'page'
  hash: string
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  /** The session of a page's token; 0 for others. */
  session_key: Generated<number>
}

interface SessionTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  hash: string
  name: string
  created_at: number
  last_used_at: number
  /** When its end was last put off. */
  renewed_at: number
  expires_at: number
}
