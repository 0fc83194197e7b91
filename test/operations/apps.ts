import { expect } from 'bun:test'
import { app, byId } from './cast'
import { type Entries, lastOf, returned } from './entry'
import { admin, readList } from './rules'
import { withoutSecret } from './tokens'

export const apps: Entries<'apps'> = {
  'apps.list': {
    input: async ({ app }) => ({ shows: app.id }),
    rule: readList('workspace', { except: ({ role }) => (role === 'guest' ? 'hidden' : undefined) }),
  },
  'apps.create': {
    input: async () => ({ name: crypto.randomUUID() }),
    rule: admin('self'),
    check: ({ name }, input) => expect(name).toBe(input.name),
    events: { 'app.created': returned },
    again: 'name_taken',
    random: ({ name }) => ({ name: name() }),
  },
  'apps.delete': {
    input: byId(app),
    rule: admin('workspace'),
    events: { 'app.deleted': lastOf },
    again: 'not_found',
    random: ({ one, apps }) => ({ id: one(apps) }),
  },
  'apps.listTokens': {
    input: async (cast) => {
      const { id } = await app(cast)
      return { id, shows: (await cast.admin.apps.createToken({ id, scopes: ['read'] })).id }
    },
    rule: admin('workspace'),
  },
  'apps.createToken': {
    input: async (cast) => ({ id: (await app(cast)).id, scopes: ['read'] }),
    rule: admin('workspace'),
    check: ({ token }) => expect(token).toStartWith('parley_'),
    events: { 'token.created': ({ output }) => withoutSecret(output) },
    again: 'same events',
    random: ({ one, apps }) => ({ id: one(apps), scopes: ['read'] }),
  },
}
