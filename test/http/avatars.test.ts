import { expect, test } from 'bun:test'
import { world } from '../world'

test('an avatar has six sizes, is cached for ever and cannot run scripts', async () => {
  const { ada } = await world()
  const { avatar_urls } = (await ada.members.get({ id: ada.id })).user
  expect(Object.keys(avatar_urls)).toEqual(['xs', 'sm', 'base', 'lg', 'xl', 'xxl'])
  expect(new Set(Object.values(avatar_urls)).size).toBe(6)
  for (const url of Object.values(avatar_urls)) {
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toContain('>AL</text>')
  }
})

test.each(['<script>alert(1)</script>', '"/><image onload="x', '%2e%2e/', '😀 🎉', '../../etc', 'ßharp ﬁsh', "&'"])(
  'the avatar of %j is a picture',
  async (display_name) => {
    const { root } = await world()
    const member = await root.members.create({ email: 'x@example.com', display_name, role: 'viewer' })
    const response = await fetch(member.user.avatar_urls.base)
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(
      /^<svg [^<>]+><rect [^<>]+\/><text [^<>]+>[\p{L}\p{N}?]{1,6}<\/text><\/svg>$/u,
    )
  },
)

test.each([
  '/avatars/33/1-A.svg',
  '/avatars/32/1-A.png',
  '/avatars/32/1-%3Cb%3E.svg',
  '/avatars/32/A.svg',
  '/avatars/x/1-A.svg',
  '/avatars/32/%00.svg',
  '/avatars/32/%ff.svg',
])('there is nothing at %s', async (path) => {
  const { raw } = await world()
  const response = await raw(undefined, path)
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
})
