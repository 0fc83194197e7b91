import type { Generated } from 'kysely'

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
    /** 0 for whoever operates the server. */
    created_by_key: number
    created_at: number
    expires_at: number
  }
  /**
   * What is in mails and lets a person in, by the hash of its secret. A mail that was tried twice has two. A link to reset a
   * password has a row for each membership that it was mailed for: whoever ends one of them ends nothing else.
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
