import { describe } from 'bun:test'
import { checkAll, checkChecklist, checkFirstPages, checkOtherRoles, violations } from './axe'
import { test } from './browser'

// Menus, dialogs and other states, dark pages and phones are in `axe-states-and-looks.test.ts`, which `npm run test:all` runs.
describe('accessibility (axe)', () => {
  test(
    'no page has a violation as it is opened',
    () => checkAll({}, (page, name) => violations(page, name, 'light'), 'opened'),
    900_000,
  )
  test('no page of a newcomer, a viewer or a guest has a violation, nor formatted text', () =>
    checkOtherRoles({}, ['light']))
  test('the checklist of a new workspace has no violation', () => checkChecklist({}, ['light']))
  test('neither the first paint nor the sign-in page has a violation', () => checkFirstPages('light'))
})
