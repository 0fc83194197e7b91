import { describe, expect, test } from 'bun:test'
import { findVisibleFiles } from '../../src/store/files/files'
import { expectConsistent } from '../consistency'
import { insertFile } from '../insert-file'
import { statementsOf } from '../server'
import { type Person, type World, world } from '../world'

const rowOf = ({ server }: World, id: string) =>
  server.parley.engine.read((db) =>
    db
      .selectFrom('files')
      .where('id', '=', id)
      .select(['references_count', 'is_shared', 'erase_at'])
      .executeTakeFirstOrThrow(),
  )

/** Whether someone can reference a file, which is whether they can see it. */
const sees = async (who: Person, id: string) =>
  (await who.markdown.render({ content_markdown: `![a](${id})` })).content.includes(`/files/${id}`)

const filesCount = ({ server }: World, table: 'channels' | 'threads', id: string) =>
  server.parley.engine.read(
    async (db) =>
      (await db.selectFrom(table).where('id', '=', id).select('files_count').executeTakeFirstOrThrow()).files_count,
  )

const gone = { is_shared: true, references_count: 0, erase_at: expect.any(Number) }
const kept = (references_count: number) => ({ is_shared: true, references_count, erase_at: null })

describe('files in posts, comments and messages', () => {
  test('only the uploader sees an upload until a post shares it; then readers of the post do, until it is deleted', async () => {
    const here = await world()
    const { ada, bob, zed, root, general } = here
    const file = await insertFile(here, ada)
    expect([await sees(ada, file), await sees(bob, file), await sees(root, file)]).toEqual([true, false, false])

    const post = await ada.posts.create({ channel_id: general.id, content_markdown: `![A cat](${file})` })
    expect(post.title).toBe('A cat')
    expect(post.content).toContain(`<figure class="file-image" data-file="${file}">`)
    expect([await sees(bob, file), await sees(zed, file)]).toEqual([true, false])
    expect(await rowOf(here, file)).toEqual(kept(1))
    expect(await filesCount(here, 'channels', general.id)).toBe(1)

    const comment = await bob.comments.create({ post_id: post.id, content_markdown: `again [it](${file})` })
    expect(await rowOf(here, file)).toEqual(kept(2))
    await bob.comments.update({ id: comment.id, content_markdown: 'without' })
    expect(await rowOf(here, file)).toEqual(kept(1))
    await root.posts.update({ id: post.id, content_markdown: `By an admin ![A cat](${file})` })
    expect(await rowOf(here, file)).toEqual(kept(1))
    await ada.posts.update({ id: post.id, title: 'Another title' })
    expect(await rowOf(here, file)).toEqual(kept(1))
    await expectConsistent(here.server)

    await ada.posts.delete({ id: post.id })
    expect(await rowOf(here, file)).toEqual(gone)
    expect([await sees(ada, file), await sees(bob, file)]).toEqual([false, false])
    expect(await filesCount(here, 'channels', general.id)).toBe(0)
    expect((await here.logRows()).some(({ data }) => data.includes('cat.png') || data.includes(file))).toBe(false)
    await expectConsistent(here.server)
  })

  test('file_ids are added to the text, once, and may be all of it', async () => {
    const here = await world()
    const { ada, general } = here
    const image = await insertFile(here, ada, { name: 'a [b] *c*.png' })
    const pdf = await insertFile(here, ada, { name: 'report.pdf', content_type: 'application/pdf' })

    const post = await ada.posts.create({ channel_id: general.id, file_ids: [pdf, image, pdf] })
    expect(post.title).toBe('report.pdf')
    expect(post.content).toContain('PDF · 2 KB')
    expect(post.content).toContain('alt="a [b] *c*.png"')
    const fenced = await ada.comments.create({ post_id: post.id, content_markdown: '```\ncode', file_ids: [image] })
    expect(fenced.content).toContain('<figure class="file-image"')
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: '', file_ids: [image] })
    const mentioned = `Look: ![x](${image})`
    const updated = await ada.comments.update({ id: comment.id, content_markdown: mentioned, file_ids: [image] })
    expect(updated.content.split('<img')).toHaveLength(2)
    const more = await ada.posts.update({ id: post.id, content_markdown: 'Only the report.', file_ids: [pdf] })
    expect(more.content).toStartWith('<p>Only the report.</p>\n<p class="file-card"')
    await ada.posts.update({ id: post.id, file_ids: [image] })
    expect(await rowOf(here, pdf)).toEqual(kept(1))
    expect(await rowOf(here, image)).toEqual(kept(3))
    await expectConsistent(here.server)
  })

  test('a file that the writer cannot see is not shown, and refused in file_ids', async () => {
    const here = await world()
    const { ada, bob, zed, general } = here
    const [secret, away] = [await insertFile(here, ada), await insertFile(here, zed)]
    for (const id of [secret, away, `file_${'0'.repeat(26)}`, 'nonsense']) {
      const post = await bob.posts.create({ channel_id: general.id, content_markdown: `![secret](${id})` })
      expect(post.content).not.toContain('/files/')
      const refused = { code: 'invalid_input', errors: [{ in: 'body', name: 'file_ids' }] }
      const file_ids = [id]
      await expect(bob.posts.create({ channel_id: general.id, file_ids })).rejects.toMatchObject(refused)
      await expect(bob.comments.create({ post_id: post.id, content_markdown: '', file_ids })).rejects.toMatchObject(
        refused,
      )
    }
    expect((await rowOf(here, secret)).is_shared).toBe(false)
    const blank = { code: 'invalid_input', errors: [{ name: 'content_markdown', message: 'Must not be blank.' }] }
    await expect(bob.messages.createDirect({ member_id: ada.id, content_markdown: ' ' })).rejects.toMatchObject(blank)
  })

  test('messages share a file with the thread, and a resolution note with the channel', async () => {
    const here = await world()
    const { ada, bob, vic, general } = here
    const file = await insertFile(here, ada, { name: 'plan.mp4', content_type: 'video/mp4' })
    const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: '', file_ids: [file] })
    expect(message.content).toContain('<figure class="file-video"')
    expect([await sees(bob, file), await rowOf(here, file)]).toEqual([true, kept(1)])
    expect(await filesCount(here, 'threads', message.thread_id)).toBe(1)

    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Done?' })
    await ada.posts.resolve({ post_id: post.id, content_markdown: `Yes: [plan](${file})` })
    await bob.messages.update({ id: message.id, content_markdown: 'x' }).catch(() => {})
    await ada.messages.update({ id: message.id, content_markdown: 'gone from here' })
    expect([await rowOf(here, file), await filesCount(here, 'threads', message.thread_id)]).toEqual([kept(1), 0])
    await ada.posts.resolve({ post_id: post.id, content_markdown: `Again: [plan](${file})` })
    expect(await rowOf(here, file)).toEqual(kept(1))
    await ada.posts.unresolve({ post_id: post.id })
    expect(await rowOf(here, file)).toEqual(gone)
    expect(vic.id).not.toBe(ada.id)
    await expectConsistent(here.server)
  })

  test('a deleted comment that is kept for its replies loses its files, and deleting a post also removes the files of its comments', async () => {
    const here = await world()
    const { ada, general } = here
    const [one, two] = [await insertFile(here, ada), await insertFile(here, ada)]
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'x' })
    const parent = await ada.comments.create({ post_id: post.id, content_markdown: '', file_ids: [one] })
    await ada.comments.create({ post_id: post.id, parent_id: parent.id, content_markdown: '', file_ids: [one, two] })
    await ada.comments.delete({ id: parent.id })
    expect([await rowOf(here, one), await rowOf(here, two)]).toEqual([kept(1), kept(1)])
    await expectConsistent(here.server)
    await ada.posts.delete({ id: post.id })
    expect([await rowOf(here, one), await rowOf(here, two)]).toEqual([gone, gone])
    await expectConsistent(here.server)
  })

  test('a search finds texts by the names of their files', async () => {
    const here = await world()
    const { ada, general } = here
    const file = await insertFile(here, ada, { name: 'quarterly-figures.pdf', content_type: 'application/pdf' })
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: `Hi\n\n[Numbers](${file})` })
    const find = async () => (await ada.search.list({ q: 'quarterly' })).data.map((each) => each.type)
    expect(await find()).toEqual(['post'])
    await ada.posts.update({ id: post.id, content_markdown: 'Hi' })
    expect(await find()).toEqual([])
  })

  test('a text of 200 files shows 50, and texts without files run no statement about them', async () => {
    const here = await world()
    const { ada, general } = here
    const file = await insertFile(here, ada)
    const others = Array.from({ length: 200 }, (_, at) => `![](file_${String(at).padStart(26, '0')})`)
    const post = await ada.posts.create({
      channel_id: general.id,
      content_markdown: [...others, `![](${file})`].join('\n\n'),
    })
    expect(post.content.match(/file-missing/g)).toHaveLength(201)
    await here.server.inboxFiller()!.whilePaused(async () => {
      const statements = statementsOf(here.server)
      statements.length = 0
      const plain = await ada.posts.create({ channel_id: general.id, content_markdown: 'x' })
      await ada.posts.update({ id: plain.id, content_markdown: 'y' })
      await ada.comments.create({ post_id: plain.id, content_markdown: 'z' })
      expect(statements.filter((sql) => /\bfiles?\b|file_/.test(sql) && !sql.includes('files_count'))).toEqual([])
    })
  })

  test('nobody can see a file of another workspace', async () => {
    const here = await world()
    const file = await insertFile(here, here.ada)
    const viewer = { workspace: { key: -1 }, author: { key: -1 }, role: 'admin', scopes: ['admin'] } as never
    expect(await here.server.parley.engine.read((db) => findVisibleFiles(db, viewer, [file]))).toEqual([])
  })
})
