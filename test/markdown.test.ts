import { describe, expect, test } from 'bun:test'
import type { Client } from './client'
import { countReads, expectInvalid, expectRefusals } from './expectations'
import { world } from './world'

describe('markdown.list', () => {
  test('gives the sources of posts, comments and messages', async () => {
    const { ada, bob, general, vic } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: '# *Lunch*?' })
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: '**Noon.**' })
    await ada.posts.resolve({ post_id: post.id, content_markdown: '*Done.*' })
    const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: '`Hi`' })
    const source = (id: string, content_markdown: string, resolution_markdown: string | null = null) => ({
      id,
      content_markdown,
      resolution_markdown,
    })
    const visible = [source(post.id, '# *Lunch*?', '*Done.*'), source(comment.id, '**Noon.**')]
    const ids = [post.id, comment.id, message.id, 'post_x', general.id]
    expect((await ada.markdown.list({ ids })).data).toEqual([...visible, source(message.id, '`Hi`')])
    expect((await vic.markdown.list({ ids })).data).toEqual(visible)
    await ada.posts.unresolve({ post_id: post.id })
    await ada.posts.delete({ id: post.id })
    expect((await ada.markdown.list({ ids: [post.id, comment.id] })).data).toEqual([])
  })

  test('takes as many statements for many records as for one of each kind', async () => {
    const everyone = await world()
    const { ada } = everyone
    const many = Array.from({ length: 97 }, (_, at) => `post_${at}`)
    const list = (ids: string[]) => countReads(everyone, ada, (who) => who.markdown.list({ ids }))
    expect(await list(['post_x', 'cmt_x', 'msg_x', ...many])).toBe(await list(['post_x', 'cmt_x', 'msg_x']))
    await expectInvalid(ada.markdown.list({ ids: [...many, ...many] }), 'ids')
  })
})

describe('markdown.render', () => {
  test('renders what a post would contain, and changes nothing', async () => {
    const { ada, bot, zed, general, events } = await world()
    const content_markdown = `# Hi <@${ada.id}> <@${bot.id}> <@${zed.id}>\n\n<script>alert(1)</script>\n\n- [x] *done*`
    const { content } = await ada.markdown.render({ content_markdown })
    expect(await events()).toEqual([])
    const post = await ada.posts.create({ channel_id: general.id, content_markdown })
    expect(content).toBe(post.content)
    expect(content).toContain('@Ada Lovelace')
    expect(content).not.toContain('<script')
    expect(content).not.toContain('Root Admin')
  })

  test('does not show a guest names of members they cannot see', async () => {
    const { gus, ada } = await world()
    const { content } = await gus.markdown.render({ content_markdown: `<@${ada.id}>` })
    expect(content).not.toContain('Ada')
  })

  test('requires write access', async () => {
    const everyone = await world()
    const render = (who: Client) => who.markdown.render({ content_markdown: 'x' })
    await expectRefusals(everyone, render, { vic: 'forbidden', reader: 'insufficient_scope' })
    await expectInvalid(everyone.ada.markdown.render({ content_markdown: ' ' }), 'content_markdown')
  })
})
