import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseQuery } from '../../src/gate/input'

/** The result of the standard parser. */
function parseStandard(query: string) {
  const parameters = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) parameters.set(name, [...(parameters.get(name) ?? []), value])
  return parameters
}

test('query strings are parsed as browsers parse them', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '=', '&', '?', '%', '+', '2', '0', 'é', '#', ' ', '/') })
  fc.assert(
    fc.property(letters, (query) => expect(parseQuery(query)).toEqual(parseStandard(query))),
    { numRuns: 5_000 },
  )
  for (const query of ['', '?a=1', 'a', 'a=', '=a', '&&a=1&', 'a=1=2', 'a=1&a=2', 'a=%zz', 'a=1+1'])
    expect(parseQuery(query)).toEqual(parseStandard(query))
  expect(parseQuery(undefined)).toEqual(new Map())
})
