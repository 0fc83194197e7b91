import { expect, test } from 'bun:test'
import { world } from '../../world'

test('the URLs of posts, threads and members open in a browser', async () => {
  const { ada, bob, general, baseUrl } = await world()
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: `Only for readers <@${bob.id}>` })
  const thread = await ada.threads.create({ member_ids: [bob.id] })
  const [, mention] = post.content.match(/class="mention" href="([^"]+)"/)!
  for (const url of [post.url, thread.url, mention!, `${baseUrl}/sign-in#token=x`, `${baseUrl}/sign-in?token=x`]) {
    const response = await fetch(url)
    expect([url, response.status, response.headers.get('content-type')]).toEqual([url, 200, 'text/html; charset=utf-8'])
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    // Who may see it is the API's to say, once the page asks.
    expect(await response.text()).not.toContain('Only for readers')
  }
})
