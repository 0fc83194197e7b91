import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERASE_EVERY_MS, startFileErasing } from '../src/jobs/files'
import { read } from './documents'
import { expectPages } from './expectations'
import { bmp, dng, exif, jpegPhoto, movie, webm } from './once/files/photos'
import { time } from './server'
import { objectsOf } from './stored-objects'
import { waitUntil } from './torture/child'
import { world } from './world'

// Other files share the clock.
afterAll(() => {
  time.offset = 0
})

const text = (words: string) => new Blob([words], { type: 'text/plain' })
const png = await new Bun.Image(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)
  .resize(40, 30)
  .png()
  .bytes()
const image = () => new Blob([png as Uint8Array<ArrayBuffer>], { type: 'image/png' })

describe('files.upload', () => {
  test('a file gets its type from its content, and its bytes come back', async () => {
    const { ada, events } = await world()
    const file = await ada.files.upload({ file: image(), name: 'C:\\photos\\cat.png' })
    expect(file).toMatchObject({ name: 'cat.png', content_type: 'image/png', width: 40, height: 30, size: png.length })
    const response = await ada.files.content({ id: file.id })
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(png))).toBe(true)
    expect((await ada.files.list()).data).toEqual([file])
    expect(await ada.files.limits()).toMatchObject({ used_bytes: png.length, max_file_bytes: 100_000_000 })
    expect(await events()).toEqual([])
  })

  test('the response says whether metadata was removed, or kept as it is in raw photos and TIFF images', async () => {
    const { ada } = await world()
    const send = (file: Uint8Array | string, name: string) =>
      ada.files.upload({ file: new Blob([file as Uint8Array<ArrayBuffer>]), name })
    for (const [file, content_type] of [
      [await send(await jpegPhoto(), 'photo.jpg'), 'image/jpeg'],
      [await send(movie(), 'film.mp4'), 'video/mp4'],
      [await send(webm(), 'film.webm'), 'video/webm'],
    ] as const)
      expect(file).toMatchObject({ content_type, keeps_metadata: false })
    for (const [file, content_type] of [
      [await send(exif(6), 'scan.tif'), 'image/tiff'],
      [await send(dng(), 'photo.dng'), 'image/x-adobe-dng'],
      [await send((await jpegPhoto()).subarray(0, 400), 'broken.jpg'), 'application/octet-stream'],
      [await send('Words', 'words.txt'), 'text/plain'],
    ] as const) {
      expect(file).toMatchObject({ content_type, width: null, height: null, keeps_metadata: true })
      expect(await ada.files.get({ id: file.id })).toEqual(file)
    }
    const photo = await send(exif(1), 'place.tif')
    const content = await ada.files.content({ id: photo.id })
    expect(Buffer.from(await content.arrayBuffer()).equals(exif(1))).toBe(true)
    expect(content.headers.get('content-disposition')).toMatch(/^attachment/)
  })

  test('a form and a stream are accepted as well', async () => {
    const { ada, raw } = await world()
    const form = new FormData()
    form.append('comment', 'not the file')
    form.append('file', new File(['Hello'], 'greeting "1".txt', { type: 'text/plain' }))
    const response = await raw(ada, '/v2/files', { method: 'POST', body: form })
    expect([response.status, await response.json()]).toMatchObject([201, { name: 'greeting "1".txt', size: 5 }])
    const file = await ada.files.upload({ file: text('Hello').stream(), name: 'a.txt' })
    expect(file.size).toBe(5)
    for (const [body, detail] of [
      ['--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf', /too early/],
      ['--x\r\nContent-Disposition: form-data; name="other"\r\n\r\nhalf\r\n--x--\r\n', /no part called/],
    ] as const) {
      const refused = await raw(ada, '/v2/files', {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      })
      expect(await refused.json()).toMatchObject({ code: 'malformed_request', detail: expect.stringMatching(detail) })
    }
    expect((await ada.files.list()).total_count).toBe(2)
  })

  test('hostile names lose what is dangerous in them', async () => {
    const { ada, raw } = await world()
    for (const [name, kept] of [
      ['../../etc/passwd', 'passwd'],
      ['a\u202egnp.exe', 'agnp.exe'],
      ['a\r\nb\t.txt', 'ab.txt'],
      ['..', 'file'],
      ['', 'file'],
      [`${'é'.repeat(200)}.pdf`, `${'é'.repeat(125)}.pdf`],
    ] as const)
      expect((await ada.files.upload({ file: text('x'), name })).name).toBe(kept)
    const { id } = await ada.files.upload({ file: text('x'), name: 'naïve "quote";\'.txt' })
    const { headers } = await raw(ada, `/v2/files/${id}/content`)
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="na_ve _quote_;'.txt"; filename*=UTF-8''na%C3%AFve%20%22quote%22%3B%27.txt`,
    )
  })

  test('a viewer and a token without the scope cannot upload', async () => {
    const { vic, bot, tokenFor } = await world()
    await expect(vic.files.upload({ file: text('x') })).rejects.toMatchObject({ code: 'forbidden' })
    expect((await bot.files.upload({ file: text('x') })).uploader.type).toBe('app')
    const reader = await tokenFor(bot.id, ['read'])
    await expect(reader.files.upload({ file: text('x') })).rejects.toMatchObject({ code: 'insufficient_scope' })
  })

  test('the same Idempotency-Key and bytes give the same file; other bytes are refused; two at once too', async () => {
    const everyone = await world()
    const { ada } = everyone
    const options = { idempotencyKey: 'one' }
    const first = await ada.files.upload({ file: text('x'), name: 'a' }, options)
    expect(await ada.files.upload({ file: text('x'), name: 'a' }, options)).toEqual(first)
    await expect(ada.files.upload({ file: text('y'), name: 'a' }, options)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect((await ada.files.list()).total_count).toBe(1)
    expect(await objectsOf(everyone)).toHaveLength(1)

    let finish = () => {}
    const slow = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from('z'.repeat(100_000)))
        finish = () => controller.close()
      },
    })
    const running = ada.files.upload({ file: slow }, { idempotencyKey: 'two' })
    const { stagingFolder } = everyone.server.parley.files.storage
    while (readdirSync(stagingFolder).length === 0) await Bun.sleep(1)
    await expect(ada.files.upload({ file: text('z') }, { idempotencyKey: 'two' })).rejects.toMatchObject({
      code: 'idempotency_in_progress',
    })
    finish()
    expect((await running).size).toBe(100_000)
  })

  test('parallel uploads never exceed the quota, and failed uploads leave nothing', async () => {
    const everyone = await world()
    const { ada } = everyone
    const { limits, storage } = everyone.server.parley.files
    const before = limits.quotaBytes
    limits.quotaBytes = 300_000
    try {
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, at) => ada.files.upload({ file: text(String(at).repeat(90_000)) })),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'quota_exceeded', status: 413 })
    } finally {
      limits.quotaBytes = before
    }
    expect((await ada.files.limits()).used_bytes).toBe(270_000)
    expect(await objectsOf(everyone)).toHaveLength(3)
    if (existsSync(storage.stagingFolder)) expect(readdirSync(storage.stagingFolder)).toEqual([])
  })

  test('a file that is too large is refused, whether its length is declared or not', async () => {
    const { ada, server } = await world()
    const { limits } = server.parley.files
    const before = limits.maxFileBytes
    limits.maxFileBytes = 1000
    try {
      for (const file of [text('x'.repeat(100_000)), text('x'.repeat(1001)), text('x'.repeat(1001)).stream()])
        await expect(ada.files.upload({ file })).rejects.toMatchObject({
          code: 'payload_too_large',
          detail: expect.stringContaining('1000 bytes'),
        })
    } finally {
      limits.maxFileBytes = before
    }
    expect((await ada.files.list()).data).toEqual([])
  })
})

describe('who can see a file', () => {
  test('its uploader until it is shared, then everyone who can see a record with it', async () => {
    const { root, ada, bob, gus, zed } = await world()
    const channel = await root.channels.create({ name: 'secret', private: true })
    const file = await root.files.upload({ file: text('plan'), name: 'plan.txt' })
    const sees = async () => {
      const who: string[] = []
      for (const [name, client] of Object.entries({ root, ada, bob, gus, zed }))
        for (const read of [client.files.get, client.files.content])
          await read({ id: file.id }).then(
            () => who.push(name),
            (error) => expect(error).toMatchObject({ code: 'not_found' }),
          )
      return who
    }
    expect(await sees()).toEqual(['root', 'root'])
    await root.channels.addMember({ channel_id: channel.id, member_id: bob.id })
    await root.posts.create({ channel_id: channel.id, file_ids: [file.id] })
    expect(await sees()).toEqual(['root', 'root', 'bob', 'bob'])
    expect((await bob.files.list({ channel_id: channel.id })).data.map(({ id }) => id)).toEqual([file.id])
    await expect(gus.files.list({ channel_id: channel.id })).rejects.toMatchObject({ code: 'not_found' })

    await root.channels.removeMember({ channel_id: channel.id, member_id: bob.id })
    expect(await sees()).toEqual(['root', 'root'])
  })

  test('participants of a thread, as long as they are in it; files are listed by when they were shared', async () => {
    const { ada, bob, root, vic } = await world()
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    const files = await Promise.all(['a', 'b', 'c'].map((name) => ada.files.upload({ file: text(name), name })))
    for (const { id } of files) {
      time.advance(5)
      await ada.messages.create({ thread_id: thread.id, content_markdown: `[Look](${id}), [again](${id})` })
    }
    await expectPages((page) => bob.files.list({ thread_id: thread.id, ...page }), files.toReversed())
    await expectPages((page) => bob.files.list({ thread_id: thread.id, direction: 'asc', ...page }), files)
    await expect(root.files.get({ id: files[0]!.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(root.files.list({ thread_id: thread.id, channel_id: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await ada.threads.removeMember({ thread_id: thread.id, member_id: bob.id })
    await expect(bob.files.get({ id: files[0]!.id })).rejects.toMatchObject({ code: 'not_found' })
    await ada.threads.addMember({ thread_id: thread.id, member_id: vic.id })
    expect((await vic.files.get({ id: files[0]!.id })).name).toBe('a')
  })

  test('only its uploader and admins who see it can delete it', async () => {
    const everyone = await world()
    const { root, ada, bob, general, events, eventRows } = everyone
    const file = await ada.files.upload({ file: text('plan') })
    await expect(bob.files.delete({ id: file.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(root.files.delete({ id: file.id })).rejects.toMatchObject({ code: 'not_found' })
    await ada.posts.create({ channel_id: general.id, file_ids: [file.id] })
    const { thread_id } = await ada.messages.createDirect({
      member_id: bob.id,
      content_markdown: '',
      file_ids: [file.id],
    })
    expect((await bob.files.list({ thread_id })).data.map(({ id }) => id)).toEqual([file.id])
    await expect(root.files.list({ thread_id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(bob.files.delete({ id: file.id })).rejects.toMatchObject({ code: 'forbidden' })
    await root.files.delete({ id: file.id })
    await expect(ada.files.get({ id: file.id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await ada.files.list({ channel_id: general.id })).toMatchObject({ data: [], total_count: 0 })
    expect((await ada.files.limits()).used_bytes).toBe(0)
    expect(await events()).toEqual([
      'post.created',
      'thread.created',
      'message.created',
      'file.deleted',
      'file.deleted',
    ])
    const [inThread] = (await eventRows()).slice(-2).filter(({ thread_key }) => thread_key !== 0)
    expect(inThread!.channel_key).toBe(0)
  })
})

describe('the content of a file', () => {
  test('supports ranges, revalidation and HEAD', async () => {
    const { ada, raw } = await world()
    const { id } = await ada.files.upload({ file: text('0123456789') })
    const read = async (headers: Record<string, string>, method = 'GET') => {
      const response = await raw(ada, `/v2/files/${id}/content`, { method, headers })
      return [response.status, await response.text(), response.headers.get('content-range')] as const
    }
    const { headers } = await raw(ada, `/v2/files/${id}/content`, { method: 'HEAD' })
    const etag = headers.get('etag')!
    expect(headers.get('content-length')).toBe('10')
    expect(await read({ Range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10'])
    expect(await read({ Range: 'bytes=0-' })).toEqual([206, '0123456789', 'bytes 0-9/10'])
    expect(await read({ Range: 'bytes=-3' })).toEqual([206, '789', 'bytes 7-9/10'])
    expect(await read({ Range: 'bytes=8-99' })).toEqual([206, '89', 'bytes 8-9/10'])
    expect(await read({ Range: 'bytes=1-2,4-5' })).toEqual([200, '0123456789', null])
    expect((await read({ Range: 'bytes=10-' }))[0]).toBe(416)
    expect(await read({ Range: 'bytes=0-0', 'If-Range': etag })).toEqual([206, '0', 'bytes 0-0/10'])
    expect(await read({ Range: 'bytes=0-0', 'If-Range': '"other"' })).toEqual([200, '0123456789', null])
    expect(await read({ 'If-None-Match': etag })).toEqual([304, '', null])
    expect((await raw(undefined, `/v2/files/${id}/content`, { headers: { 'If-None-Match': etag } })).status).toBe(401)
  })

  test('is harmless in a browser', async () => {
    const { ada, raw } = await world()
    const page = new Blob(['<!doctype html><script>alert(1)</script>'], { type: 'image/png' })
    const { id } = await ada.files.upload({ file: page, name: 'cat.png' })
    const { headers } = await raw(ada, `/v2/files/${id}/content`)
    expect(headers.get('content-disposition')).toStartWith('attachment')
    expect(headers.get('content-type')).not.toStartWith('image/')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test('has previews only if it is an image', async () => {
    const { ada } = await world()
    const { id } = await ada.files.upload({ file: image() })
    const preview = await ada.files.content({ id, size: 'small' })
    expect(preview.headers.get('content-type')).toBe('image/webp')
    expect((await new Bun.Image(await preview.bytes()).metadata()).format).toBe('webp')
    const other = await ada.files.upload({ file: text('x') })
    await expect(ada.files.content({ id: other.id, size: 'small' })).rejects.toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('no preview'),
    })
  })

  test('of type BMP has no preview, and a text shows it as a card', async () => {
    const { ada, general } = await world()
    const { id } = await ada.files.upload({ file: new Blob([bmp() as Uint8Array<ArrayBuffer>]), name: 'a.bmp' })
    await expect(ada.files.content({ id, size: 'small' })).rejects.toMatchObject({ code: 'not_found' })
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: `![A map](${id})` })
    expect(post.content).toStartWith(`<p class="file-card" data-file="${id}"><a href="/files/${id}/download"`)
  })
})

describe('erasing', () => {
  test('a file whose last record is deleted is erased within an hour, with its bytes', async () => {
    const everyone = await world()
    const { ada, general, server } = everyone
    const file = await ada.files.upload({ file: text('short-lived') })
    const post = await ada.posts.create({ channel_id: general.id, file_ids: [file.id] })
    await server.fileErasing()!.runRound()
    expect(await objectsOf(everyone)).toHaveLength(1)
    await ada.posts.delete({ id: post.id })
    await expect(ada.files.get({ id: file.id })).rejects.toMatchObject({ code: 'not_found' })

    // The next round does it, and rounds come several times an hour.
    const erasing = startFileErasing(server.parley, 20)
    await waitUntil(async () => (await objectsOf(everyone)).length === 0)
    await erasing.close()
    expect(ERASE_EVERY_MS).toBeLessThanOrEqual(20 * 60_000)
    for (const document of ['docs/files.md', 'docs/security.md', 'docs/self-hosting.md']) {
      const sentences = read(document)
        .replaceAll(/(?<!\n)\n(?!\n)/g, ' ')
        .match(/[^.|\n]*\b(?:bytes are erased|any more is erased|from the folder or the bucket)[^.|\n]*/g)!
      expect([document, sentences.filter((each) => !/within an hour/i.test(each))]).toEqual([document, []])
    }
  })

  test('an upload that nothing references is erased after a day, and its bytes with the last file that has them', async () => {
    const everyone = await world()
    const { ada, bob, general, server } = everyone
    const erasing = server.fileErasing()!
    const kept = await ada.files.upload({ file: text('same') })
    const lost = await bob.files.upload({ file: text('same') })
    await ada.posts.create({ channel_id: general.id, file_ids: [kept.id] })
    expect(await objectsOf(everyone)).toHaveLength(1)

    time.advance(25 * 60 * 60 * 1000)
    await erasing.runRound()
    await expect(bob.files.get({ id: lost.id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await (await ada.files.content({ id: kept.id })).text()).toBe('same')
    await ada.files.delete({ id: kept.id })
    const hold = { id: 'backup', until: time.now() + 60_000 }
    await server.parley.engine.write((db) => db.insertInto('backup_holds').values(hold).execute())
    await erasing.runRound()
    expect(await objectsOf(everyone)).toHaveLength(1)
    await server.parley.engine.write((db) => db.deleteFrom('backup_holds').execute())
    await erasing.runRound()
    expect(await objectsOf(everyone)).toEqual([])
  })

  test('objects that nothing names are deleted a day after a sweep has found them, and files of others never', async () => {
    const everyone = await world()
    const { ada, server } = everyone
    const { engine, files } = server.parley
    const erasing = server.fileErasing()!
    await ada.files.upload({ file: text('known') })
    const [known] = await objectsOf(everyone)
    const [workspaceId] = known!.split('/')
    await files.storage.write(`${known!.slice(0, -1)}${known!.endsWith('0') ? '1' : '0'}`, Buffer.from('stray'))
    const foreign = ['my file.txt', 'backup.sql'].map((name) => join(workspaceId!, name))
    for (const name of foreign) writeFileSync(join(files.storage.stagingFolder, '..', name), 'not ours')
    await erasing.sweep()
    await erasing.runRound()
    expect(await objectsOf(everyone)).toHaveLength(4)
    // A folder cannot be deleted as an object can. What comes after it is deleted all the same.
    const undeletable = known!.slice(0, known!.lastIndexOf('/'))
    await engine.write((db) =>
      db.insertInto('stray_objects').values({ object: undeletable, delete_after: 0 }).execute(),
    )
    await engine.write((db) => db.updateTable('stray_objects').set({ delete_after: 0 }).execute())
    await erasing.runRound()
    expect((await objectsOf(everyone)).sort()).toEqual([known!, ...foreign].sort())
    const left = await engine.write((db) => db.deleteFrom('stray_objects').returning('object').execute())
    expect(left).toEqual([{ object: undeletable }])
  })
})
