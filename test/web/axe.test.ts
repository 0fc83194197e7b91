import { describe } from 'bun:test'
import { checkAll, checkChecklist, checkFirstPages, violations } from './axe'
import { test } from './browser'

// Dark pages and phones are in `axe-dark-and-phone.test.ts`, which `npm run test:all` runs.
describe('accessibility (axe)', () => {
  test('no page has a violation', () => checkAll({}, (page, name) => violations(page, name, 'light')), 900_000)
  test('the checklist of a new workspace has no violation', () => checkChecklist({}, ['light']))
  test('neither the first paint nor the sign-in page has a violation', () => checkFirstPages('light'))
})
