import { describe, expect, test } from 'bun:test'
import type { Client } from '../src/client'
import { expectInvalid, expectRefusals } from './expectations'
import { world } from './world'

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
