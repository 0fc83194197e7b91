import { describe } from 'bun:test'
import { checkAll, checkChecklist, checkFirstPages, checkOtherRoles, inTurn, violations } from './axe'
import { PHONE, test } from './browser'

describe('accessibility (axe)', () => {
  test(
    'no menu, dialog or other state of a page has a violation',
    () => checkAll({}, (page, name) => violations(page, name, 'light'), 'other states'),
    900_000,
  )
  test(
    'no page has a violation in dark mode',
    () => checkAll({}, (page, name) => violations(page, name, 'dark')),
    900_000,
  )
  test('no page has a violation on a phone', () => checkAll(PHONE, inTurn), 900_000)
  test('neither the first paint nor the sign-in page has a violation in dark mode', () => checkFirstPages('dark'))

  test('no page of a newcomer, a viewer or a guest has a violation in dark mode and on a phone, nor formatted text', async () => {
    await checkOtherRoles({}, ['dark'])
    await checkOtherRoles(PHONE, ['light', 'dark'])
  })

  test('the checklist of a new workspace has no violation in dark mode and on a phone', async () => {
    await checkChecklist({}, ['dark'])
    await checkChecklist(PHONE, ['light', 'dark'])
  })
})
