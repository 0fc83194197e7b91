import { describe, expect, test } from 'bun:test'
import { avatarOf, avatarSizes, avatarSvg, avatarUrls } from '../../src/domain/avatar'

/** What the file of an avatar shows. */
const shownBy = (file: string) => decodeURIComponent(file.replace(/\.svg$/, ''))

describe('an avatar', () => {
  test.each([
    ['Ada Lovelace', 'AL'],
    ['Ada King Lovelace', 'AL'],
    ['ada', 'A'],
    ['  émile   zola ', 'ÉZ'],
    ['東京 花子', '東花'],
    ['𝒜da', '𝒜'],
    ['42', '4'],
    ['<script>alert(1)</script>', 'SS'],
    ['"onload="x', 'OX'],
    ['😀', '?'],
    ['', '?'],
    ['ßen ﬁx', 'SSFI'],
  ])('of %j shows %s', (name, initials) =>
    expect(shownBy(avatarOf('mem_1', name))).toMatch(new RegExp(`^\\d-${initials === '?' ? '\\?' : initials}$`)),
  )

  test('has the same colour for the same person', () => {
    expect(avatarOf('mem_1', 'A')).toBe(avatarOf('mem_1', 'A'))
    const colours = new Set(Array.from({ length: 200 }, (_, at) => avatarOf(`mem_${at}`, 'A')))
    expect(colours.size).toBe(10)
  })

  test('is available in six sizes, for every name', () => {
    for (const name of ['Ada Lovelace', '<b>&"', '😀', 'ßen ﬁx', '東京 花子', "O'Hara \u202e", '\0'])
      for (const size of Object.values(avatarSizes)) {
        const svg = avatarSvg(size, shownBy(avatarOf('mem_1', name)))
        expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" ')
        expect(svg).toContain(`width="${size}"`)
      }
    expect(Object.keys(avatarUrls('https://x', '1-A'))).toEqual(['xs', 'sm', 'base', 'lg', 'xl', 'xxl'])
  })

  test.each(['1-<b>', '1-"', "1-'", '1-&', '1-', '-A', '10-A', 'A', '', '1-ABCDEFG', '1-A B', '1-\u202eA'])(
    'cannot be %j',
    (avatar) => expect(avatarSvg(32, avatar)).toBeUndefined(),
  )

  test.each([0, 1, 33, 100_000, -32, Number.NaN])('has no size %d', (size) =>
    expect(avatarSvg(size, '1-A')).toBeUndefined(),
  )
})
