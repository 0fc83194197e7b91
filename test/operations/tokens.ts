import { expect } from 'bun:test'
import type { NewToken, Token } from '../../src/contract/tokens'
import { byId, nothing, someRecords } from './cast'
import type { Entries } from './entry'
import { isManager, read, write } from './rules'

export const withoutSecret = ({ token: _, ...token }: NewToken): Token => token

export const tokens: Entries<'tokens'> = {
  'tokens.listMine': { input: nothing, rule: read('self'), check: someRecords },
  'tokens.createMine': {
    input: async () => ({ scopes: ['read'] }),
    rule: write('self', { except: ({ role }) => (role === 'admin' || role === 'member' ? undefined : 'forbidden') }),
    check: ({ token }) => expect(token).toStartWith('parley_'),
    events: { 'token.created': ({ output }) => withoutSecret(output) },
    again: 'same events',
    random: () => ({ scopes: ['read'] }),
  },
  'tokens.delete': {
    input: byId(({ author }) => author.tokens.createMine({ scopes: ['read'] })),
    rule: read('workspace', {
      except: (caller) => (caller.isAuthor || isManager(caller) ? undefined : 'not_found'),
    }),
    events: { 'token.revoked': ({ last }) => withoutSecret(last) },
    again: 'not_found',
    random: ({ one, tokens }) => ({ id: one(tokens) }),
  },
}
