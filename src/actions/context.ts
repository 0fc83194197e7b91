import type { FileLimits } from '../domain/files'
import type { Links } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import type { Vault } from '../domain/secrets'
import type { Networks } from '../networks'
import type { ChangeContext } from '../store/changes/change'
import type { Reader } from '../store/engines/db'

export interface ReadContext {
  db: Reader
  viewer: Viewer
  links: Links
  now: number
  isMailConfigured: boolean
  fileLimits: FileLimits
  /** Encrypts secrets; undefined if the operator configured no key. */
  vault: Vault | undefined
  /** The revision of the content of the workspace when the request arrived. */
  revision: number
  /** How long a search may take, in milliseconds. */
  searchBudget: number
  /** Prevents caching of the response: it contains something that changes without a new revision. */
  volatile(): void
  /** Called when a page was read at a newer revision: the response would mix two revisions and is read again. */
  onRevisionChanged(): void
}

/** A change as an action makes it: `gate/write.ts` adds what actions need besides. */
export interface WriteContext extends ChangeContext {
  fileLimits: FileLimits
  /** Private networks that webhooks may connect to. */
  webhookNetworks: Networks
  /** Encrypts secrets; undefined if the operator configured no key. */
  vault: Vault | undefined
  /** The result of the preparation of this operation in `gate/write.ts`, which ran before the transaction. */
  prepared?: unknown
  /** Runs `find`, or returns its earlier result if it is the look-up of this operation in `gate/write.ts`. */
  lookUp<T>(find: () => Promise<T>): Promise<T>
}
