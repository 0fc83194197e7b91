import { expect, test } from 'bun:test'
import { choosePassages } from '../../../src/domain/search/excerpts'

test('passages are chosen without looking at each match again for each match near it', () => {
  const count = 10_000
  let looks = 0
  const matchAt = (place: number, term: number) => ({
    term,
    end: 2 * place + 1,
    get start() {
      looks += 1
      return 2 * place
    },
  })
  // The fourth term is far from all others, so that no passage shows all four.
  const occurrences = [
    ...Array.from({ length: count }, (_, place) => matchAt(place, place % 3)),
    matchAt(count + 500, 3),
  ]
  const passages = choosePassages([{ text: 'a '.repeat(count + 501), occurrences }])
  expect(passages.map(({ text }) => text)).toEqual([0, 0, 0])
  expect(looks).toBeLessThan(30 * count)
})
