import type { Scope } from '../contract/operation'
import type { Token } from '../contract/tokens'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { TokenRow } from '../store/tokens'

export const toToken = (row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(',') as Scope[],
  created_at: timestamp(row.created_at),
  expires_at: timestampOrNull(row.expires_at),
  last_used_at: timestampOrNull(row.last_used_at),
})
