import { describe, expect, test } from 'bun:test'
import { receiveFile } from '../../src/http/files'
import { signedIn } from '../session/browser'
import { type World, world } from '../world'

const text = (words: string) => new Blob([words], { type: 'text/plain' })
const FORM = { 'Content-Type': 'multipart/form-data; boundary=x' }
const part = (name: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`

/** A file of root in a private channel that nobody else sees. */
async function hideFile({ root }: World) {
  const channel = await root.channels.create({ name: 'secret', private: true })
  const file = await root.files.upload({ file: text('plan'), name: 'Secret plan.txt' })
  const post = await root.posts.create({ channel_id: channel.id, file_ids: [file.id] })
  return { channel, file, post }
}

test('a file that the author cannot see is shown in no text, and neither is its name', async () => {
  const cast = await world()
  const { ada, bob, general, raw } = cast
  const { file } = await hideFile(cast)
  const content_markdown = `![a](${file.id}) [b](${file.id})\n\n[c](${file.id})`
  const { thread_id } = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hello' })
  const post = await ada.posts.create({ channel_id: general.id, title: 'A', content_markdown })
  const comment = await ada.comments.create({ post_id: post.id, content_markdown })
  const written = [
    post,
    comment,
    await ada.messages.create({ thread_id, content_markdown }),
    await ada.messages.createDirect({ member_id: bob.id, content_markdown }),
    await ada.posts.update({ id: post.id, content_markdown: `${content_markdown}!` }),
    await ada.comments.update({ id: comment.id, content_markdown: `${content_markdown}!` }),
    await ada.posts.resolve({ post_id: post.id, content_markdown }),
    await ada.markdown.render({ content_markdown }),
    await ada.drafts.save({ subject_id: general.id, content_markdown, version: 0 }),
  ]
  for (const record of written) {
    expect(JSON.stringify(record)).not.toContain('Secret plan')
    expect(JSON.stringify(record)).not.toContain('/files/file_')
  }
  const file_ids = [file.id]
  const refused = { code: 'invalid_input', status: 422 }
  for (const attempt of [
    () => ada.posts.create({ channel_id: general.id, file_ids }),
    () => ada.posts.update({ id: post.id, file_ids }),
    () => ada.comments.create({ post_id: post.id, content_markdown: '', file_ids }),
    () => ada.comments.update({ id: comment.id, content_markdown: '', file_ids }),
    () => ada.messages.create({ thread_id, content_markdown: '', file_ids }),
    () => ada.messages.createDirect({ member_id: bob.id, content_markdown: '', file_ids }),
  ])
    await expect(attempt()).rejects.toMatchObject(refused)
  for (const who of [ada, bob, cast.zed])
    for (const path of ['', '/content', '/content?size=small', '/content?download=true'])
      expect((await raw(who, `/v2/files/${file.id}${path}`)).status).toBe(404)
})

test('a reference is removed with its text, wherever in the text it was', async () => {
  const { ada, bob, general } = await world()
  const texts = [
    (id: string) => `[![a](${id})](https://parley.example)`,
    (id: string) => `[x ![a](${id}) y](javascript:x)`,
    (id: string) => `[a]: ${id}\n\n![x][a]`,
    (id: string) => `| a |\n|---|\n| ![](${id}) |`,
  ]
  for (const toText of texts) {
    const { id } = await ada.files.upload({ file: text('x') })
    const post = await ada.posts.create({ channel_id: general.id, title: 'A', content_markdown: toText(id) })
    expect((await bob.files.get({ id })).id).toBe(id)
    await ada.posts.update({ id: post.id, content_markdown: 'None' })
    for (const who of [ada, bob]) await expect(who.files.get({ id })).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('a session cookie gives access to files only, and no other origin may read them', async () => {
  const cast = await world()
  const { ada, baseUrl } = cast
  const { id } = await ada.files.upload({ file: text('mine') })
  const { cookie } = await signedIn(cast, ada)
  const headers = { Cookie: cookie, Origin: 'https://evil.example' }
  for (const path of [`/v2/files/${id}`, `/v2/files/${id}/content`, '/v2/files', '/v2/files/limits'])
    expect([path, (await fetch(baseUrl + path, { headers })).status]).toEqual([path, 401])
  expect((await fetch(`${baseUrl}/v2/files`, { method: 'POST', body: 'x', headers })).status).toBe(401)
  for (const [path, method] of [
    [`/files/${id}`, 'GET'],
    [`/files/${id}`, 'HEAD'],
    ['/files/file_x', 'GET'],
    [`/files/${id}/small`, 'GET'],
  ] as const) {
    const response = await fetch(baseUrl + path, { method, headers })
    const allowed = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
    expect([path, method, allowed]).toEqual([path, method, []])
  }
})

test('an upload that is repeated because its response was lost succeeds even if it has filled the quota', async () => {
  const { ada, server } = await world()
  const { limits } = server.parley.files
  const before = limits.quotaBytes
  limits.quotaBytes = 100_000
  const upload = (idempotencyKey: string) => ada.files.upload({ file: text('x'.repeat(90_000)) }, { idempotencyKey })
  try {
    const { id } = await upload('one')
    expect((await upload('one')).id).toBe(id)
    await expect(upload('two')).rejects.toMatchObject({ code: 'quota_exceeded' })
  } finally {
    limits.quotaBytes = before
  }
})

describe('a form', () => {
  test('that is not valid is refused, and leaves nothing', async () => {
    const { ada, raw } = await world()
    const forms: [string, string, Record<string, string>?][] = [
      ['without a boundary', 'x', { 'Content-Type': 'multipart/form-data' }],
      ['with two files', `${part('file', 'a')}${part('file', 'b')}--x--\r\n`],
      ['whose file is called otherwise', `${part('other', 'a')}--x--\r\n`],
      ['that ends within a header', '--x\r\nContent-Disp'],
      ['with endless headers', `--x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
      ['that ends before its last line', part('file', 'a')],
      ['without content', ''],
      ['after which much follows', `${part('file', 'a')}--x--\r\n${'a'.repeat(70_000)}`],
      ['with an empty boundary', 'x', { 'Content-Type': 'multipart/form-data; boundary=' }],
      ['with a boundary in another parameter', 'x', { 'Content-Type': 'multipart/form-data; a="; boundary=x"' }],
      ['with a long boundary', 'x', { 'Content-Type': `multipart/form-data; boundary=${'x'.repeat(300)}` }],
      ['with a flood of delimiters', `${part('file', 'a')}${'\r\n--x\r\n\r\n'.repeat(5_000)}`],
      ['with a part whose headers do not end', `--x\r\nA: b\r\n--x--\r\n`],
      ['with a file after such a part', `--x\r\nA: b\r\n${part('file', 'a')}--x--\r\n`],
      ['with countless headers', `--x\r\n${'A: b\r\n'.repeat(12_000)}${part('file', 'a').slice(5)}--x--\r\n`],
      ['with countless parts', `${part('a', '').repeat(2_000)}${part('file', 'a')}--x--\r\n`],
      ['with a long part besides the file', `${part('file', 'a')}${part('b', 'b'.repeat(70_000))}--x--\r\n`],
      [
        'with another form in place of the file',
        `--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y--\r\n--x--`,
      ],
      ['before which much comes', `${'a'.repeat(70_000)}\r\n${part('file', 'a')}--x--\r\n`],
    ]
    for (const [what, body, headers = FORM] of forms) {
      const response = await raw(ada, '/v2/files', { method: 'POST', body, headers })
      const { code } = (await response.json()) as { code: string }
      expect([what, response.status, code]).toEqual([what, 400, 'malformed_request'])
    }
    expect(await ada.files.list()).toMatchObject({ data: [], total_count: 0 })
  })

  test('may arrive in pieces of any size, with other parts and text around the file', async () => {
    const body = Buffer.from(
      `Text${'.'.repeat(9_000)}\r\n${part('a', 'b'.repeat(40_000))}${part('file', 'c\r\n--y'.repeat(40_000))}${part('d', '')}--x--More`,
    )
    for (const pieceBytes of [97, 4_096, 100_000, body.length]) {
      let at = 0
      const pieces = new ReadableStream<Uint8Array>({
        pull(stream) {
          if (at >= body.length) return stream.close()
          stream.enqueue(new Uint8Array(body.subarray(at, at + pieceBytes)))
          at += pieceBytes
        },
      })
      const request = new Request('http://a', { method: 'POST', body: pieces, headers: FORM })
      const { name, stream } = await receiveFile(request)
      expect(name).toBeUndefined()
      expect(await new Response(stream).text()).toBe('c\r\n--y'.repeat(40_000))
    }
  })

  test('keeps every byte of a file that looks like its own delimiters', async () => {
    const { ada, raw } = await world()
    for (const content of ['', '\r\n', '\r\n--', '\r\n--\r\n--y--', '--y', '\r', '\r\n-'.repeat(50_000)]) {
      const body = `${part('file', content)}--x--\r\n`
      const response = await raw(ada, '/v2/files', { method: 'POST', body, headers: FORM })
      expect([content.slice(0, 9), response.status]).toEqual([content.slice(0, 9), 201])
      const { id } = (await response.json()) as { id: string }
      expect(await (await ada.files.content({ id })).text()).toBe(content)
    }
  })
})

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const decodeEntities = (html: string) => html.replace(/&(\w+|#39);/g, (all, name) => ENTITIES[name] ?? all)

test('a reference shows the name of the file and nothing else, whatever the name is', async () => {
  const { ada, bob, general } = await world()
  const names = [
    ...[']( javascript:alert(1))', '![x](y)', `<@${bob.id}>`, '<img src=x onerror=alert(1)>', '`a', '**b**'],
    ...[
      'www.evil.example',
      'a@evil.example',
      '&lt;b&gt;',
      '| a |',
      '# a',
      '- [ ] a',
      '~~a~~',
      '[^1]',
      ':smile:',
      '$x$',
      '!',
    ],
    ...[
      'a  b',
      '[',
      ']',
      '(',
      ')',
      '"',
      "'",
      '1. a',
      '> a',
      '==a==',
      'https:evil.example',
      'mailto:a@b.example',
      '{a}',
    ],
  ]
  for (const name of names) {
    const { id } = await ada.files.upload({ file: text('x'), name })
    const { content } = await ada.posts.create({ channel_id: general.id, content_markdown: 'See', file_ids: [id] })
    const shown: string[] = []
    const tags: string[] = []
    new HTMLRewriter()
      .on('*', {
        element: ({ tagName, attributes }) => void tags.push(tagName, ...[...attributes].map(([, value]) => value)),
      })
      .on('.file-name', { text: ({ text: chunk }) => void shown.push(chunk) })
      .transform(content)
    expect([
      name,
      tags.filter((tag) => /evil|javascript|mem_|onerror|^(?:img|code|strong|del|em|input)$/.test(tag)),
    ]).toEqual([name, []])
    expect([name, decodeEntities(shown.join(''))]).toEqual([name, name.replace(/\s+/g, ' ')])
  }
  expect((await bob.inbox.list()).data).toEqual([])
})

test('ranges are limited to the file, or refused', async () => {
  const { ada, raw } = await world()
  const { id } = await ada.files.upload({ file: text('0123456789') })
  const empty = await ada.files.upload({ file: text('') })
  const read = async (range: string, file = id) => {
    const response = await raw(ada, `/v2/files/${file}/content`, { headers: { Range: range } })
    return [response.status, response.status === 416 ? response.headers.get('content-range') : await response.text()]
  }
  const whole = [200, '0123456789']
  expect(await read('bytes=0-0')).toEqual([206, '0'])
  expect(await read('bytes=-1')).toEqual([206, '9'])
  expect(await read('bytes=-999')).toEqual([206, '0123456789'])
  expect(await read('bytes=9-999999999999999')).toEqual([206, '9'])
  expect(await read('bytes=-0')).toEqual([416, 'bytes */10'])
  expect(await read('bytes=10-10')).toEqual([416, 'bytes */10'])
  for (const range of [
    'bytes=5-4',
    'bytes=a-b',
    'bytes=--1',
    'bytes=-',
    'lines=0-1',
    'bytes=0-1,5-6',
    `bytes=0-${'9'.repeat(40)}`,
  ])
    expect([range, await read(range)]).toEqual([range, whole])
  expect(await read('bytes=0-', empty.id)).toEqual([416, 'bytes */0'])
  expect(await (await ada.files.content({ id: empty.id })).text()).toBe('')
})
