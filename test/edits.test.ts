import { afterEach, describe, expect, test } from 'bun:test'
import { countReads, expectInvalid } from './expectations'
import { time } from './server'
import { world } from './world'

afterEach(() => time.unfreeze())

/** Moves the frozen clock, and returns its time. */
function advance(): string {
  time.advance(1000)
  return new Date(time.now()).toISOString()
}

const edit = (id: string, edited_at: string | null, answer_deleted_at: string | null = null) => ({
  id,
  edited_at,
  answer_deleted_at,
  via: null,
  resolved_via: null,
})

async function worldWithRecords() {
  time.freeze()
  const everyone = await world()
  const { ada, bob, general } = everyone
  const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'At noon?' })
  const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'Yes.' })
  return { ...everyone, post, comment, ids: [post.id, comment.id] }
}

describe('edits.list', () => {
  test('says when a post and a comment were last edited', async () => {
    const { ada, bob, vic, post, comment, ids } = await worldWithRecords()
    expect(await vic.edits.list({ ids })).toEqual({ data: [] })

    const titleAt = advance()
    await ada.posts.update({ id: post.id, title: 'Dinner' })
    expect(await vic.edits.list({ ids })).toEqual({ data: [edit(post.id, titleAt)] })

    const textAt = advance()
    await ada.posts.update({ id: post.id, content_markdown: 'At eight?' })
    const commentAt = advance()
    await bob.comments.update({ id: comment.id, content_markdown: 'No.' })
    expect((await vic.edits.list({ ids })).data).toEqual([edit(post.id, textAt), edit(comment.id, commentAt)])
  })

  test('saving the same text, resolving and replying are not edits', async () => {
    const { ada, bob, post, comment, ids } = await worldWithRecords()
    await ada.posts.update({ id: post.id, title: 'Lunch', content_markdown: 'At noon?' })
    await bob.comments.update({ id: comment.id, content_markdown: 'Yes.' })
    await bob.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'Really.' })
    await ada.posts.resolve({ post_id: post.id, comment_id: comment.id })
    expect(await ada.edits.list({ ids })).toEqual({ data: [] })
  })

  test('an unchanged text keeps the time of the last edit', async () => {
    const { ada, post } = await worldWithRecords()
    const editedAt = advance()
    await ada.posts.update({ id: post.id, title: 'Dinner' })
    advance()
    await ada.posts.update({ id: post.id, title: 'Dinner' })
    expect(await ada.edits.list({ ids: [post.id] })).toEqual({ data: [edit(post.id, editedAt)] })
  })

  test('a post whose answer was deleted says so, until it is resolved again or reopened', async () => {
    const { ada, bob, post, comment, ids } = await worldWithRecords()
    await ada.posts.resolve({ post_id: post.id, comment_id: comment.id })
    const deletedAt = advance()
    await bob.comments.delete({ id: comment.id })
    expect((await ada.posts.get({ id: post.id })).resolution).toMatchObject({ resolved_comment: null })
    expect(await ada.edits.list({ ids })).toEqual({ data: [edit(post.id, null, deletedAt)] })
    await ada.posts.resolve({ post_id: post.id })
    expect(await ada.edits.list({ ids })).toEqual({ data: [] })

    const other = await bob.comments.create({ post_id: post.id, content_markdown: 'Or so.' })
    await ada.posts.resolve({ post_id: post.id, comment_id: other.id })
    await bob.comments.delete({ id: other.id })
    await ada.posts.unresolve({ post_id: post.id })
    expect(await ada.edits.list({ ids })).toEqual({ data: [] })
  })

  test('leaves out records that are unknown, invisible or deleted', async () => {
    const { ada, bob, gus, zed, root, post, comment, ids, general } = await worldWithRecords()
    await ada.posts.update({ id: post.id, title: 'Dinner' })
    await bob.comments.update({ id: comment.id, content_markdown: 'No.' })
    const asked = [...ids, 'post_unknown', 'cmt_unknown', 'msg_unknown', 'nonsense']
    expect((await ada.edits.list({ ids: asked })).data.map(({ id }) => id)).toEqual(ids)
    expect(await gus.edits.list({ ids })).toEqual({ data: [] })
    expect(await zed.edits.list({ ids })).toEqual({ data: [] })

    await bob.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'A reply keeps its place.' })
    await bob.comments.delete({ id: comment.id })
    expect((await ada.edits.list({ ids })).data.map(({ id }) => id)).toEqual([post.id])
    await root.channels.delete({ id: general.id })
    expect(await ada.edits.list({ ids })).toEqual({ data: [] })
  })

  test('takes 1 to 100 ids, and reads two statements for any number', async () => {
    const everyone = await worldWithRecords()
    const { ada, raw, ids } = everyone
    await expectInvalid(ada.edits.list({ ids: [] }), 'ids')
    await expectInvalid(ada.edits.list({ ids: Array.from({ length: 101 }, (_, n) => `post_${n}`) }), 'ids')
    expect((await raw(ada, '/v2/edits')).status).toBe(422)
    expect((await raw(ada, `/v2/edits?ids=${ids[0]}&ids=${ids[1]}`)).status).toBe(200)

    const many = Array.from({ length: 98 }, (_, n) => `cmt_${n}`)
    const few = await countReads(everyone, ada, (who) => who.edits.list({ ids }))
    expect(await countReads(everyone, ada, (who) => who.edits.list({ ids: [...ids, ...many] }))).toBe(few)
  })
})
