import { describe, expect, test } from 'bun:test'
import { world } from './world'

describe('posts.unresolve', () => {
  test('a member may', async () => {
    const { ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Noon.', parent_id: '' })
    const resolved = await ada.posts.resolve({ post_id: post.id, comment_id: comment.id })
    expect(resolved.resolution?.resolved_comment?.id).toBe(comment.id)
    const open = await ada.posts.unresolve({ post_id: post.id })
    expect(open.resolution).toBeNull()
    expect((await ada.posts.list()).data).toHaveLength(1)
    expect((await ada.members.list({ q: 'LOVE', roles: ['member', 'admin'] })).data).toHaveLength(1)
    expect(await events()).toEqual(['post.created', 'comment.created', 'post.resolved', 'post.unresolved'])
  })

  test('a viewer may not', async () => {
    const { ada, vic, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    await ada.posts.resolve({ post_id: post.id })

    await expect(vic.posts.unresolve({ post_id: post.id })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await events()).toEqual(['post.created', 'post.resolved'])
  })
})
