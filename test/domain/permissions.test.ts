import { describe, expect, test } from 'bun:test'
import { type Role, roles } from '../../src/contract/members'
import { type Scope, scopes } from '../../src/contract/operation'
import {
  canEdit,
  canHaveTokens,
  canManage,
  canRevoke,
  may,
  seesPublic,
  type Viewer,
} from '../../src/domain/permissions'

const viewer = (role: Role | null, ...given: Scope[]): Viewer => ({
  workspace: { key: 1, id: 'ws_1', slug: 'home', name: 'Home' },
  author: { key: 7, id: 'x', type: role ? 'member' : 'app', name: 'X', stored: '' },
  role,
  scopes: given,
})

describe('permissions', () => {
  /** First with a token of all scopes, then with tokens of one scope. */
  const table: [Role | null, string][] = [
    ['admin', 'read write admin'],
    ['member', 'read write'],
    ['viewer', 'read'],
    ['guest', 'read write'],
    [null, 'read write admin'],
  ]
  test.each(table)('the role %s allows: %s', (role, allowed) => {
    expect(scopes.filter((needed) => may(viewer(role, 'admin'), needed)).join(' ')).toBe(allowed)
  })

  test('the scopes of a token only restrict the role', () => {
    for (const role of [...roles, null]) {
      expect(may(viewer(role), 'read')).toBe(false)
      expect(may(viewer(role, 'read'), 'write')).toBe(false)
      expect(may(viewer(role, 'write'), 'admin')).toBe(false)
      expect(may(viewer(role, 'write'), 'read')).toBe(true)
    }
  })

  test('only guests are limited to what they were added to', () => {
    expect([...roles, null].filter((role) => !seesPublic(viewer(role, 'read')))).toEqual(['guest'])
  })

  test('authors can edit their own content, admins all', () => {
    expect(canEdit(viewer('member', 'write'), 7)).toBe(true)
    expect(canEdit(viewer('member', 'admin'), 8)).toBe(false)
    expect(canEdit(viewer('admin', 'admin'), 8)).toBe(true)
    expect(canEdit(viewer('admin', 'write'), 8)).toBe(false)
    expect(canEdit(viewer('admin', 'read'), 7)).toBe(false)
    expect(canEdit(viewer('viewer', 'admin'), 7)).toBe(false)
    expect(canEdit(viewer(null, 'admin'), 8)).toBe(true)
  })

  test('managing members, creating tokens, revoking tokens', () => {
    expect([...roles, null].filter((role) => canManage(viewer(role, 'admin')))).toEqual(['admin', null])
    expect(roles.filter((role) => canHaveTokens(viewer(role, 'admin')))).toEqual(['admin', 'member'])
    expect(canRevoke(viewer('guest', 'read'), 7, ['read'])).toBe(true)
    expect(canRevoke(viewer('guest', 'read'), 7, ['read', 'write'])).toBe(false)
    expect(canRevoke(viewer('viewer', 'admin'), 7, ['admin'])).toBe(true)
    expect(canRevoke(viewer('member', 'admin'), 8, ['read'])).toBe(false)
    expect(canRevoke(viewer('admin', 'admin'), 8, ['admin'])).toBe(true)
  })
})
