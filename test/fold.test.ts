import { expect, test } from 'bun:test'
import { fold } from '../src/contract/browser/fold'

test.each([
  ['Ada', 'ada'],
  ['  Ada  ', 'ada'],
  ['ÉMILE', 'emile'],
  ['E\u0301mile', 'emile'],
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['Łódź', 'lodz'],
  ['Søren Ærø', 'soren aero'],
  ['İstanbul', 'istanbul'],
  ['ISTANBUL', 'istanbul'],
  ['ﬁne', 'fine'],
  ['Ａｄａ', 'ada'],
  ['Ωμέγα', 'ωμεγα'],
  ['Ёлка', 'елка'],
  ['東京', '東京'],
  ['', ''],
])('%s is compared as %s', (text, folded) => expect(fold(text)).toBe(folded))

test('folding twice changes nothing more', () => {
  for (const text of ['ẞ', 'Ǆ', 'ﬃ', 'İı', '①', 'ŉ']) expect(fold(fold(text))).toBe(fold(text))
})
