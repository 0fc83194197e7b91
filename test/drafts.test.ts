import { afterEach, describe, expect, test } from 'bun:test'
import { expectInvalid, expectPages, expectRefusals, expectRefused, timestamp } from './expectations'
import { insertFile } from './insert-file'
import { statementsOf, time } from './server'
import { world } from './world'

afterEach(() => time.unfreeze())

async function worldWithPost() {
  time.freeze()
  const cast = await world()
  const post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch?' })
  return { ...cast, post, subject_id: post.id }
}

describe('drafts.save', () => {
  test('saves a text for every kind of place, which only its author gets', async () => {
    const { ada, bob, root, general, post } = await worldWithPost()
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    const direct = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'Hi' })
    const places = [general.id, 'new', post.id, comment.id, thread.id, direct.thread_id, bob.id]
    for (const subject_id of places) {
      time.advance(1)
      await ada.drafts.save({ subject_id, content_markdown: `For ${subject_id}` })
    }
    const { data, total_count } = await ada.drafts.list()
    expect(data.map(({ subject_id }) => subject_id)).toEqual(places.toReversed())
    expect(total_count).toBe(7)
    expect(data.map(({ place }) => place).toReversed()).toEqual([
      { name: general.name, post_id: null, author_name: null },
      null,
      { name: 'Lunch?', post_id: post.id, author_name: null },
      { name: 'Lunch?', post_id: post.id, author_name: 'Bob Moore' },
      { name: 'Plans', post_id: null, author_name: null },
      { name: 'Bob Moore', post_id: null, author_name: null },
      { name: 'Bob Moore', post_id: null, author_name: null },
    ])
    for (const other of [bob, root]) {
      expect((await other.drafts.list()).total_count).toBe(0)
      await expectRefused(other.drafts.get({ subject_id: post.id }), 'not_found')
      await other.drafts.delete({ subject_id: post.id })
    }
    expect(await ada.drafts.get({ subject_id: post.id })).toEqual({
      subject_id: post.id,
      title: '',
      content_markdown: `For ${post.id}`,
      version: data[4]!.version,
      updated_at: timestamp,
      others: [],
    })
    await expectPages((input) => ada.drafts.list(input), data)
  })

  test('keeps a text that the device has not seen, and the text that is saved last wins', async () => {
    const { ada, subject_id } = await worldWithPost()
    const first = await ada.drafts.save({ subject_id, content_markdown: 'From the desk', version: 0 })
    const phone = await ada.drafts.save({ subject_id, content_markdown: 'From the phone', version: 0 })
    expect(phone).toMatchObject({
      content_markdown: 'From the phone',
      others: [{ content_markdown: 'From the desk', version: first.version, title: '' }],
    })
    const seen = await ada.drafts.save({ subject_id, content_markdown: 'From the phone, more', version: phone.version })
    expect(seen.others).toEqual(phone.others)

    const chosen = await ada.drafts.save({ subject_id, content_markdown: 'From the desk' })
    expect(chosen.others.map(({ content_markdown }) => content_markdown)).toEqual(['From the phone, more'])
    await ada.drafts.deleteOther({ subject_id, version: chosen.others[0]!.version })
    await ada.drafts.deleteOther({ subject_id, version: chosen.others[0]!.version })
    expect(await ada.drafts.get({ subject_id })).toEqual({ ...chosen, others: [] })
  })

  test('keeps the five newest of the texts it replaced', async () => {
    const { ada, subject_id } = await worldWithPost()
    for (let at = 0; at < 8; at++) await ada.drafts.save({ subject_id, content_markdown: `Text ${at}` })
    const { content_markdown, others } = await ada.drafts.get({ subject_id })
    expect(content_markdown).toBe('Text 7')
    expect(others.map((other) => other.content_markdown)).toEqual(['Text 6', 'Text 5', 'Text 4', 'Text 3', 'Text 2'])
  })

  test('while it is typed reads the other versions once, and nothing about files that it does not name', async () => {
    const { ada, subject_id, server } = await worldWithPost()
    await ada.drafts.save({ subject_id, content_markdown: 'Noon' })
    const { version } = await ada.drafts.save({ subject_id, content_markdown: 'Another' })
    const statements = statementsOf(server)
    await server.inboxFiller()!.whilePaused(async () => {
      for (const seen of [version, undefined]) {
        statements.length = 0
        await ada.drafts.save({ subject_id, content_markdown: `At noon ${seen}`, version: seen })
        expect(statements.filter((sql) => /^select .*"draft_versions"/.test(sql))).toHaveLength(1)
        expect(statements.filter((sql) => sql.includes('file'))).toEqual([])
      }
    })
  })

  test('of texts saved at once, none is lost', async () => {
    const { ada, subject_id } = await worldWithPost()
    const texts = ['one', 'two', 'three', 'four']
    await Promise.all(texts.map((content_markdown) => ada.drafts.save({ subject_id, content_markdown })))
    const { content_markdown, others } = await ada.drafts.get({ subject_id })
    expect([content_markdown, ...others.map((other) => other.content_markdown)].sort()).toEqual(texts.toSorted())
  })

  test('whatever two devices do at once, a text that neither has seen replaced is still there', async () => {
    const { ada, subject_id } = await worldWithPost()
    const acknowledged = new Set<number>()
    const replaced = new Set<number>()
    const devices = [{ seen: 0 }, { seen: 0 }]
    const load = () => ada.drafts.get({ subject_id }).catch(() => undefined)
    const remove = (version: number) => ada.drafts.delete({ subject_id, version }).then(() => replaced.add(version))
    async function act(device: { seen: number }, at: number) {
      const choice = Math.random()
      if (choice < 0.2) device.seen = (await load())?.version ?? 0
      else if (choice < 0.35 && device.seen > 0)
        await remove(device.seen).catch((error) => expect(error.code).toBe('draft_changed'))
      else {
        const { version } = await ada.drafts.save({ subject_id, content_markdown: `Text ${at}`, version: device.seen })
        acknowledged.add(version)
        replaced.add(device.seen)
        device.seen = version
      }
    }
    for (let at = 0; at < 60; at += 2) {
      await Promise.all(devices.map((device, number) => act(device, at + number)))
      const draft = await load()
      const kept = draft ? [draft.version, ...draft.others.map(({ version }) => version)] : []
      expect(kept).toEqual(expect.arrayContaining([...acknowledged].filter((version) => !replaced.has(version))))
      for (const { version } of draft?.others.slice(3) ?? []) {
        await ada.drafts.deleteOther({ subject_id, version })
        replaced.add(version)
      }
    }
  })

  test('saving the same text again changes nothing', async () => {
    const { ada, subject_id, events } = await worldWithPost()
    const before = await ada.drafts.save({ subject_id, content_markdown: 'I thi' })
    const request = { subject_id, content_markdown: 'I think', version: before.version }
    const saved = await ada.drafts.save(request)
    expect(await ada.drafts.save(request)).toEqual(saved)
    expect(await events()).toEqual(['post.created', 'draft.updated'])
  })

  test('tells the other devices at once of a new draft and a conflict, and of typing every 15 seconds', async () => {
    const { ada, bob, root, subject_id, events } = await worldWithPost()
    let { version } = await ada.drafts.save({ subject_id, content_markdown: '0' })
    const type = async (text: string) => {
      ;({ version } = await ada.drafts.save({ subject_id, content_markdown: text, version }))
    }
    for (const seconds of [1, 2, 3]) {
      time.advance(2_000)
      await type(`${seconds}`)
    }
    expect(await events()).toEqual(['post.created', 'draft.updated'])
    time.advance(9_000)
    await type('4')
    await ada.drafts.save({ subject_id, content_markdown: '5', version: 0 })
    await ada.drafts.delete({ subject_id })
    const heard = async (who: typeof ada) => (await who.events.list({ types: ['draft.updated'] })).data
    expect((await heard(ada)).map(({ data }) => data)).toEqual([
      { subject_id, version: 1, is_deleted: false },
      { subject_id, version: 5, is_deleted: false },
      { subject_id, version: 6, is_deleted: false },
      { subject_id, version: 7, is_deleted: true },
    ])
    for (const other of [bob, root]) expect(await heard(other)).toEqual([])
  })

  test('works, like reading, after the place was deleted or hidden', async () => {
    const { ada, root, bob, general } = await worldWithPost()
    const gone = await bob.posts.create({ channel_id: general.id, content_markdown: 'Gone' })
    const secret = await root.channels.create({ name: `s-${crypto.randomUUID().slice(0, 8)}`, private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const hidden = await root.posts.create({ channel_id: secret.id, content_markdown: 'Secret' })
    const answer = await root.comments.create({ post_id: hidden.id, content_markdown: 'Secret' })
    const thread = await bob.threads.create({ title: 'Secret', member_ids: [ada.id, root.id] })
    const open = await bob.posts.create({ channel_id: general.id, content_markdown: 'Open' })
    const first = await bob.comments.create({ post_id: open.id, content_markdown: 'First' })
    await root.comments.create({ post_id: open.id, parent_id: first.id, content_markdown: 'A reply' })
    for (const subject_id of [secret.id, hidden.id, answer.id, thread.id, gone.id, first.id])
      await ada.drafts.save({ subject_id, content_markdown: 'I thi' })
    await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
    await bob.threads.removeMember({ thread_id: thread.id, member_id: ada.id })
    await bob.posts.delete({ id: gone.id })
    // It keeps its place above the reply.
    await bob.comments.delete({ id: first.id })
    const { data } = await ada.drafts.list()
    expect(data.map(({ place }) => place)).toEqual(Array(6).fill(null))
    const saved = await ada.drafts.save({ subject_id: secret.id, content_markdown: 'I think' })
    expect(await ada.drafts.get({ subject_id: secret.id })).toEqual(saved)
    await ada.drafts.delete({ subject_id: secret.id })
    await expectRefused(ada.drafts.save({ subject_id: secret.id, content_markdown: 'Again' }), 'not_found')
  })

  test('shows the longest title, also if each of its characters takes two in JSON', async () => {
    const { ada, bob, general, fillInboxes } = await worldWithPost()
    const title = `Odd${'"'.repeat(297)}`
    const content_markdown = `<@${ada.id}>`
    const post = await bob.posts.create({ channel_id: general.id, title, content_markdown })
    await ada.drafts.save({ subject_id: post.id, content_markdown: 'I thi' })
    await fillInboxes()
    expect((await ada.drafts.list()).data[0]!.place).toMatchObject({ name: title })
    expect((await ada.inbox.list()).data[0]!.subject).toMatchObject({ title })
    expect((await ada.search.list({ q: 'Odd' })).data).toHaveLength(1)
  })

  test('a deactivated member finds their drafts when they come back', async () => {
    const { ada, root, tokenFor, subject_id } = await worldWithPost()
    await ada.drafts.save({ subject_id, content_markdown: 'I thi' })
    await root.members.update({ id: ada.id, is_deactivated: true })
    await expectRefused(ada.drafts.get({ subject_id }), 'unauthenticated')
    await root.members.update({ id: ada.id, is_deactivated: false })
    const back = await tokenFor(ada.id, ['read'])
    expect((await back.drafts.list()).data).toMatchObject([{ content_markdown: 'I thi' }])
  })

  test('refuses apps, read-only tokens, invisible places, empty texts, long texts, and too many drafts', async () => {
    const cast = await worldWithPost()
    const { ada, general, subject_id, server, workspaceKey } = cast
    const { id: hidden } = await cast.root.channels.create({
      name: `h-${crypto.randomUUID().slice(0, 8)}`,
      private: true,
    })
    const save = (id: string) => (who: typeof ada) => who.drafts.save({ subject_id: id, content_markdown: 'I thi' })
    await expectRefusals(cast, save(subject_id) as never, {
      ...{ bot: 'forbidden', reader: 'insufficient_scope', gus: 'not_found', zed: 'not_found' },
    })
    await expectRefusals(cast, save(hidden) as never, { ada: 'not_found', bot: 'forbidden' })
    for (const id of ['post_nothing', 'cmt_nothing', 'mem_nothing', 'nothing', 'file_1'])
      await expectRefused(save(id)(ada), 'not_found')
    await expectRefused(cast.bot.drafts.list(), 'forbidden')
    await expectInvalid(ada.drafts.save({ subject_id, content_markdown: ' \n' }), 'content_markdown')
    await expectInvalid(ada.drafts.save({ subject_id, content_markdown: 'x'.repeat(100_001) }), 'content_markdown')
    await expectInvalid(ada.drafts.save({ subject_id, title: 'x'.repeat(301), content_markdown: '' }), 'title')
    expect(await ada.drafts.save({ subject_id: general.id, title: 'Lunch', content_markdown: null })).toMatchObject({
      title: 'Lunch',
      content_markdown: '',
    })

    await server.parley.engine.write(async (db) => {
      const author = await db.selectFrom('authors').where('id', '=', ada.id).select('key').executeTakeFirstOrThrow()
      const row = { workspace_key: workspaceKey, author_key: author.key, title: '', content_markdown: 'x', version: 1 }
      const rows = Array.from({ length: 199 }, (_, at) => ({
        ...row,
        subject_id: `post_${at}`,
        updated_at: at,
        announced_at: 0,
      }))
      await db.insertInto('drafts').values(rows).execute()
    })
    await expectRefused(save(subject_id)(ada), 'too_many_drafts')
    await save(general.id)(ada)
  })
})

describe('drafts.delete', () => {
  test('keeps a draft that another device has changed since', async () => {
    const { ada, subject_id, events } = await worldWithPost()
    const { version } = await ada.drafts.save({ subject_id, content_markdown: 'I thi' })
    const changed = await ada.drafts.save({ subject_id, content_markdown: 'I think', version })
    await expectRefused(ada.drafts.delete({ subject_id, version }), 'draft_changed')
    await ada.drafts.delete({ subject_id, version: changed.version })
    await ada.drafts.delete({ subject_id, version: changed.version })
    await expectRefused(ada.drafts.get({ subject_id }), 'not_found')
    expect(await events()).toEqual(['post.created', 'draft.updated', 'draft.updated'])
  })

  test('of a text that was sent keeps the texts of other devices, until they are deleted', async () => {
    const { ada, subject_id } = await worldWithPost()
    await ada.drafts.save({ subject_id, content_markdown: 'From the desk' })
    const { version, others } = await ada.drafts.save({ subject_id, content_markdown: 'From the phone' })
    await ada.drafts.delete({ subject_id, version })
    const left = await ada.drafts.get({ subject_id })
    expect(left).toMatchObject({ content_markdown: '', others })
    expect(left.version).toBeGreaterThan(version)
    await ada.drafts.deleteOther({ subject_id, version: others[0]!.version })
    await expectRefused(ada.drafts.get({ subject_id }), 'not_found')
  })

  test('keeps the uploads that a draft names, and its other versions, until they are deleted', async () => {
    const cast = await worldWithPost()
    const { ada, subject_id, server } = cast
    const [one, two] = [await insertFile(cast, ada), await insertFile(cast, ada)]
    const counts = () =>
      server.parley.engine.read(async (db) => {
        const ids = [one, two]
        const rows = await db
          .selectFrom('files')
          .where('id', 'in', ids)
          .select(['id', 'references_count', 'erase_at'])
          .execute()
        return ids
          .map((id) => rows.find((row) => row.id === id)!)
          .map((row) => [row.references_count, row.erase_at === null])
      })
    const first = await ada.drafts.save({ subject_id, content_markdown: `![One](${one})` })
    expect(await counts()).toEqual([
      [1, true],
      [0, false],
    ])
    await ada.drafts.save({ subject_id, content_markdown: `[Two](${two})` })
    expect(await counts()).toEqual([
      [1, true],
      [1, true],
    ])
    await ada.drafts.deleteOther({ subject_id, version: first.version })
    expect(await counts()).toEqual([
      [0, false],
      [1, true],
    ])
    await ada.drafts.delete({ subject_id })
    expect(await counts()).toEqual([
      [0, false],
      [0, false],
    ])
  })

  test('a new draft is not mistaken for a deleted one', async () => {
    const { ada, subject_id } = await worldWithPost()
    const { version } = await ada.drafts.save({ subject_id, content_markdown: 'I thi' })
    await ada.drafts.delete({ subject_id })
    await ada.drafts.save({ subject_id, content_markdown: 'Another text' })
    expect((await ada.drafts.save({ subject_id, content_markdown: 'I think', version })).others).toMatchObject([
      { content_markdown: 'Another text' },
    ])
  })
})
