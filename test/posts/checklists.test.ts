import { describe, expect, test } from 'bun:test'
import { world } from '../world'

describe('checklists', () => {
  test('the author or an admin checks an item, which does not count as an edit', async () => {
    const { ada, bob, root, vic, zed, general, events, raw } = await world()
    const content_markdown = '- [ ] Buy **milk**\n  - [ ] oat\n- [ ] Eggs'
    const post = await ada.posts.create({ channel_id: general.id, content_markdown })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown })

    // At once: neither is lost.
    const checked = await Promise.all([
      ada.posts.check({ post_id: post.id, item: 1, is_checked: true, label: ' oat ' }),
      root.posts.check({ post_id: post.id, item: 0, is_checked: true, label: 'Buy milk' }),
    ])
    expect(checked.map(({ content }) => content.match(/disabled checked/g)!.length).sort()).toEqual([1, 2])
    await root.comments.check({ comment_id: comment.id, item: 2, is_checked: true })
    const sources = (await ada.markdown.list({ ids: [post.id, comment.id] })).data.map((each) => each.content_markdown)
    expect(sources.sort()).toEqual([
      content_markdown.replace('[ ] Eggs', '[x] Eggs'),
      content_markdown.replaceAll('[ ]', '[x]').replace('[x] Eggs', '[ ] Eggs'),
    ])
    await ada.posts.check({ post_id: post.id, item: 0, is_checked: true })
    expect(await events()).toEqual([
      'post.created',
      'comment.created',
      'post.updated',
      'post.updated',
      'comment.updated',
    ])
    expect((await ada.edits.list({ ids: [post.id, comment.id] })).data).toEqual([])

    const change = { post_id: post.id, item: 0, is_checked: false }
    for (const who of [bob, vic]) await expect(who.posts.check(change)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(zed.posts.check(change)).rejects.toMatchObject({ code: 'not_found' })
    await expect(ada.posts.check({ ...change, item: 9 })).rejects.toMatchObject({ code: 'not_found' })
    for (const item of [0, 9])
      await expect(ada.posts.check({ ...change, item, label: 'Eggs' })).rejects.toMatchObject({
        code: 'checklist_changed',
      })
    for (const item of ['-1', '1.5', 'x', '']) {
      const body = JSON.stringify({ is_checked: true })
      const headers = { 'Content-Type': 'application/json' }
      const response = await raw(ada, `/v2/posts/${post.id}/checklist/${item}`, { method: 'PUT', body, headers })
      expect([404, 422]).toContain(response.status)
    }
  })
})
