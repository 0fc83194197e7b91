import { expect, test } from 'bun:test'
import { isKnownTimeZone } from '../../src/web/parts/local-time'

test('there is no local time in a zone that the browser does not know', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus_Mons'].map(isKnownTimeZone)).toEqual([true, true, false])
})
