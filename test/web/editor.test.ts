import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { picture } from '../me/pictures'
import { type Person, type World, world } from '../world'
import { addAxe, violations } from './axe'
import {
  holdTimers,
  openPage,
  type PageOptions,
  PHONE,
  richText,
  test,
  waitForFocus,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'
import { pasteFiles } from './drop-files'

const newPostPath = ({ general }: World) => `/posts/new?channel=${general.id}`
const sourceOf = async ({ raw }: World, who: Person, path: string) =>
  (await raw(who, path, { headers: { Accept: 'text/markdown' } })).text()

/** Opens a page whose composer shows formatted text. */
async function openEditor(cast: World, path: string, name = 'Text', options: PageOptions = {}) {
  const page = await openPage(cast, cast.ada, path, { isFormatted: true, ...options })
  const text = richText(page, name)
  await waitForVisible(text)
  return { page, text }
}

/** The Markdown of the draft of a new post. */
const draftOf = (page: Page, { general }: World) =>
  page.evaluate(
    (id) => (JSON.parse(localStorage.getItem('parley:drafts') ?? '{}') as Record<string, string>)[`post:${id}`] ?? '',
    general.id,
  )
const expectDraft = (page: Page, cast: World, expected: string) => waitForValue(() => draftOf(page, cast), expected)

/** Pastes, and returns whether the browser was kept from pasting as well. */
const paste = (text: Locator, data: Record<string, string>) =>
  text.evaluate((element, given) => {
    const clipboardData = new DataTransfer()
    for (const [type, value] of Object.entries(given)) clipboardData.setData(type, value)
    return !element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, data)

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
const tool = (page: Page, name: string | RegExp) =>
  page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name })
/** Browsers tell of a selection in the next frame. */
const waitForSelection = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
const clear = async (page: Page, text: Locator) => {
  // Not a click: what it selects is read a moment later.
  await text.focus()
  await press(page, 'Control+a', 'Delete', 'Backspace')
}

describe('formatted text', () => {
  test('is made of Markdown while it is typed, and sent as Markdown', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await text.click()
    await page.keyboard.type('# Lunch\nWith **bold**, _slanted_, ~~gone~~ and `code`. @bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    await page.keyboard.type('\n- one\ntwo\n\n[ ] open\n\n```sql select 1\n\n\n> quoted\n\n| | |a')
    await press(page, 'Tab', 'Tab', 'Tab')
    await page.keyboard.type('b :tad')
    await waitForVisible(page.getByRole('option', { name: ':tada:' }))
    await press(page, 'Enter')
    await page.keyboard.type(':+1:')
    const markdown = [
      `# Lunch\n\nWith **bold**, _slanted_, ~~gone~~ and \`code\`. <@${cast.bob.id}>`,
      '- one\n- two\n\n* [ ] open',
      '```sql\nselect 1\n```\n\n> quoted',
      '| a |  |\n| --- | --- |\n|  | b 🎉 👍 |',
    ].join('\n\n')
    await waitForValue(async () => (await draftOf(page, cast)).endsWith('👍 |'), true)
    await press(page, 'Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    expect(await sourceOf(cast, cast.ada, `/v2${new URL(page.url()).pathname}`)).toBe(markdown)
  })

  test('is formatted with the toolbar, by shortcuts and with /', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await text.click()
    await page.keyboard.type('one two')
    await press(page, 'Control+Shift+ArrowLeft')
    await tool(page, 'Bold').click()
    await expectDraft(page, cast, 'one **two**')
    await press(page, 'Control+i')
    await expectDraft(page, cast, 'one _**two**_')
    await press(page, 'Control+i', 'Control+b', 'Control+k')
    const address = page.getByRole('textbox', { name: 'Address of the link' })
    await waitForFocus(address)
    await page.keyboard.type('example.com')
    await press(page, 'Enter')
    await waitForFocus(text)
    await expectDraft(page, cast, 'one [two](https://example.com)')
    await tool(page, 'Link').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await expectDraft(page, cast, 'one two')

    await tool(page, 'Text style: Text').click()
    await page.getByRole('menuitemradio', { name: 'Heading 2' }).click()
    await expectDraft(page, cast, '## one two')
    await tool(page, 'Text style: Heading 2').click()
    await page.getByRole('menuitemradio', { name: 'Text', exact: true }).click()
    for (const [name, markdown] of [
      ['List', '- one two'],
      ['Numbered list', '1. one two'],
      ['Checklist', '- [ ] one two'],
    ] as const) {
      await tool(page, name)
        .and(page.getByRole('button', { name, exact: true }))
        .click()
      await expectDraft(page, cast, markdown)
    }
    await page.getByRole('checkbox', { name: 'one two' }).click()
    await expectDraft(page, cast, '- [x] one two')
    await tool(page, 'Checklist').click()
    await tool(page, 'Quote').click()
    await expectDraft(page, cast, '> one two')
    await tool(page, 'Quote').click()
    await expectDraft(page, cast, 'one two')
    await press(page, 'Control+z')
    await expectDraft(page, cast, '> one two')

    // A block by its name, with the keyboard alone.
    await clear(page, text)
    await page.keyboard.type('/tab')
    await waitForVisible(page.getByRole('listbox', { name: 'Blocks' }).getByRole('option', { name: 'Table' }))
    await press(page, 'Enter')
    await page.keyboard.type('Region')
    await press(page, 'Tab')
    await page.keyboard.type('Starts')
    await tool(page, 'Table').click()
    await page.getByRole('menuitem', { name: 'Delete column' }).click()
    await tool(page, 'Table').click()
    await page.getByRole('menuitem', { name: 'Align right' }).click()
    await tool(page, 'Table').click()
    await page.getByRole('menuitem', { name: 'Insert row below' }).click()
    await waitForValue(async () => (await draftOf(page, cast)).split('\n').length, 5)
    expect(await draftOf(page, cast)).toMatch(/^\| Region \| {2}\|\n\| (?:--: \| ---|--- \| --:) \|\n/)
    await tool(page, 'Table').click()
    await page.getByRole('menuitem', { name: 'Delete table' }).click()
    await expectDraft(page, cast, '')

    await tool(page, 'Code').click()
    await page.keyboard.type('const a = 1')
    await page.getByRole('button', { name: 'Language: Plain text' }).click()
    await page.getByRole('menuitemradio', { name: 'TypeScript' }).click()
    await expectDraft(page, cast, '```typescript\nconst a = 1\n```')
    await waitForVisible(text.locator('.hljs-keyword'))
  })

  test('in a thread, Enter sends it, and Shift+Enter starts a line or an item', async () => {
    const cast = await world()
    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    const { page, text } = await openEditor(cast, `/threads/${thread.id}`, 'Message')
    await text.click()
    await page.keyboard.type('one')
    await press(page, 'Shift+Enter')
    await page.keyboard.type('two')
    await press(page, 'Shift+Enter', 'Shift+Enter')
    await page.keyboard.type('- three')
    await press(page, 'Shift+Enter')
    await page.keyboard.type('four')
    await press(page, 'Enter')
    await waitForVisible(page.getByRole('listitem').filter({ hasText: 'three' }).first())
    await waitForValue(() => text.textContent(), '')
    const { data } = await cast.ada.messages.list({ thread_id: thread.id })
    expect(data[0]!.content).toBe('<p>one<br />\ntwo</p>\n<ul>\n<li>three</li>\n<li>four</li>\n</ul>')
  })

  test('Enter after three backticks begins a block of code, also where Enter sends', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await text.click()
    for (const line of ['one', '```sql', 'select 1', '', '', '~~~', 'plain', '', '', 'last'])
      await page.keyboard.type(`${line}\n`)
    await expectDraft(page, cast, 'one\n\n```sql\nselect 1\n```\n\n```\nplain\n```\n\nlast')

    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    const message = await openEditor(cast, `/threads/${thread.id}`, 'Message')
    await message.text.click()
    await message.page.keyboard.type('```\nlet a\n')
    await waitForVisible(message.page.getByRole('main').locator('.message pre').first())
    const { data } = await cast.ada.messages.list({ thread_id: thread.id })
    expect(data.map(({ content }) => content)).toEqual(['<pre><code>let a\n</code></pre>'])
  })

  test('takes what an input method writes', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await text.click()
    await page.keyboard.type('**')
    const session = await page.context().newCDPSession(page)
    for (const typed of ['に', 'にほ', '日本'])
      await session.send('Input.imeSetComposition', {
        text: typed,
        selectionStart: typed.length,
        selectionEnd: typed.length,
      })
    await session.send('Input.insertText', { text: '日本' })
    await page.keyboard.type('**!')
    await expectDraft(page, cast, '**日本**!')
  })
})

describe('what is pasted', () => {
  test('runs nothing and loads nothing, whatever it is', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await page.evaluate(() => {
      Object.assign(window, { ran: [] as string[] })
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
        (window as unknown as { ran: string[] }).ran.push(violatedDirective),
      )
    })
    const run = `window.ran.push('run')`
    await text.click()
    await paste(text, {
      'text/plain': 'plain',
      'text/html': `<p>Hi <b onclick="${run}">there</b><img src="x:y" onerror="${run}"><script>${run}</script></p>
        <svg onload="${run}"><script>${run}</script><a xlink:href="javascript:${run}"><text>svg</text></a></svg>
        <a href="javascript:${run}">one</a> <a href=" java&#10;script:${run}">two</a> <a href="data:text/html,<script>${run}</script>">three</a>
        <iframe src="javascript:${run}" srcdoc="<script>${run}</script>"></iframe><object data="data:text/html,x"></object>
        <form action="javascript:${run}"><input autofocus onfocus="${run}"><button formaction="javascript:${run}">four</button></form>
        <style>* { background: url(https://example.com/x) }</style><link rel="stylesheet" href="https://example.com/x">
        <meta http-equiv="refresh" content="0;url=javascript:${run}"><base href="https://example.com/">
        <div data-file="file_x&quot; onload=&quot;${run}" data-shown="true"></div><span data-mention="mem_x">@x</span>
        <p data-pm-slice='1 1 ["script",null]' style="background:url(https://example.com/y)">five</p>
        <math><mtext><table><mglyph><style><img src=x onerror="${run}"></style></mglyph></table></mtext></math>`,
    })
    await waitForValue(async () => (await draftOf(page, cast)).includes('five'), true)
    // Fails by itself if anything were requested from another host, or reported by the policy of the page.
    expect(await page.evaluate(() => (window as unknown as { ran: string[] }).ran)).toEqual([])
    expect(
      await text
        .locator('script, iframe, object, form, input, svg, style, link, [onclick], [onerror], [style*=url]')
        .count(),
    ).toBe(0)
    const hrefs = await text.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(hrefs).toEqual([])
    expect(await draftOf(page, cast)).not.toContain('javascript:')
  })

  test('from documents, sheets and web pages keeps its form', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    const expectPasted = async (data: Record<string, string>, markdown: string) => {
      await clear(page, text)
      await paste(text, data)
      await expectDraft(page, cast, markdown)
    }
    // A web page.
    await expectPasted(
      {
        'text/html':
          '<h2>Title</h2><p>One <strong>bold</strong> <a href="https://example.com">link</a></p><ul><li>a<ul><li>b</li></ul></li></ul><pre class="language-js"><code>let a\n</code></pre><blockquote><p>q</p></blockquote>',
      },
      '## Title\n\nOne **bold** [link](https://example.com)\n\n- a\n  - b\n\n```js\nlet a\n```\n\n> q',
    )
    // Google Docs.
    await expectPasted(
      {
        'text/html':
          '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:700;">Bold</span><span style="font-weight:400;font-style:italic"> slanted</span></p><ul><li dir="ltr"><p>a</p></li><ul><li dir="ltr"><p>b</p></li></ul></ul></b>',
      },
      '**Bold** _slanted_\n\n- a\n  - b',
    )
    // Word.
    await expectPasted(
      {
        'text/html':
          '<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><!--StartFragment--><p class=MsoNormal>Text<o:p></o:p></p><p class=MsoListParagraph style="mso-list:l0 level1 lfo1"><span style="mso-list:Ignore">·<span>&nbsp;</span></span>one</p><p class=MsoListParagraph style="mso-list:l0 level2 lfo1"><span style="mso-list:Ignore">o </span>two</p><p class=MsoListParagraph style="mso-list:l0 level1 lfo1"><span style="mso-list:Ignore">· </span>three</p><!--EndFragment--></body></html>',
      },
      'Text\n\n- one\n  - two\n- three',
    )
    // A sheet, as HTML and as text.
    const table = '| a | b |\n| --- | --- |\n| 1 | 2 \\| 3 |'
    await expectPasted(
      {
        'text/plain': 'a\tb\n1\t2 | 3',
        'text/html':
          '<google-sheets-html-origin><style>td {border: 1px solid}</style><table><colgroup><col width="100"></colgroup><tbody><tr><td style="text-align:left">a</td><td>b</td></tr><tr><td>1</td><td><p>2 |<br>3</p></td></tr></tbody></table>',
      },
      table.replace('| a | b |\n| --- |', '| a | b |\n| :-- |'),
    )
    await expectPasted({ 'text/plain': 'a\tb\n1\t2 | 3\n' }, table)
    // Markdown, and text that is none.
    await expectPasted({ 'text/plain': '# One\n\n- [x] **two**\n' }, '# One\n\n- [x] **two**')
    await expectPasted({ 'text/plain': 'C:\\*.txt 5 * 3\nnext\n\nlast' }, 'C:\\\\\\*.txt 5 * 3\nnext\n\nlast')
    // An address on selected text.
    await expectPasted({ 'text/plain': 'words' }, 'words')
    await press(page, 'Control+a')
    await paste(text, { 'text/plain': 'https://example.com/a_b' })
    await expectDraft(page, cast, '[words](https://example.com/a_b)')
    // In code, all of it is text.
    await clear(page, text)
    await page.keyboard.type('``` ')
    await paste(text, { 'text/plain': '# a\n\tb', 'text/html': '<h1>a</h1>' })
    await expectDraft(page, cast, '```\n# a\n\tb\n```')
  })

  test('is taken as text where it cannot be read as what it says it is', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    const expectPasted = async (data: Record<string, string>, markdown: string) => {
      await clear(page, text)
      expect(await paste(text, data)).toBe(true)
      await expectDraft(page, cast, markdown)
    }
    const around = (...names: string[]) => JSON.stringify(names.flatMap((name) => [name, null]))
    const inContext = (context: string) => `<p data-pm-slice='0 0 ${context}'>one</p>`
    await expectPasted({ 'text/html': inContext(around('blockquote', 'blockquote')) }, '> > one')
    await expectPasted({ 'text/html': inContext(around(...Array(5_000).fill('blockquote'))) }, 'one')
    await expectPasted({ 'text/html': inContext('['.repeat(50_000)) }, 'one')
    // More nodes than a function can be called with.
    const cell = `<table><tr><td><p>${'a<br>'.repeat(100_000)}</p></td></tr></table>`
    await expectPasted({ 'text/html': cell, 'text/plain': 'two' }, 'two')
    await expectPasted({ 'text/html': `${'<blockquote>'.repeat(5_000)}three`, 'text/plain': 'three' }, 'three')
    await press(page, 'Enter')
    await page.keyboard.type('four')
    await expectDraft(page, cast, 'three\n\nfour')
  })

  test('is the same when it was copied here', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    const markdown = `# One\n\n- [x] two **bold**\n- three\n\n| a | b |\n| --- | :-: |\n| 1 | <@${cast.bob.id}> |\n\nfour`
    await text.click()
    await paste(text, { 'text/plain': markdown })
    await expectDraft(page, cast, markdown)
    const copied = await text.evaluate((element) => {
      getSelection()!.selectAllChildren(element)
      const clipboardData = new DataTransfer()
      document.dispatchEvent(new Event('selectionchange'))
      element.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
      return { 'text/plain': clipboardData.getData('text/plain'), 'text/html': clipboardData.getData('text/html') }
    })
    expect(copied['text/plain']).toBe(markdown)
    await clear(page, text)
    await paste(text, copied)
    await expectDraft(page, cast, markdown)
  })
})

test('a link leads to no script, neither in the editor nor in what is being sent', async () => {
  const cast = await world()
  const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
  const { page, text } = await openEditor(cast, `/threads/${thread.id}`, 'Message')
  const links = async (within: Locator) =>
    within.getByText(/^(?:one|two|three)$/).evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  await text.click()
  await paste(text, {
    'text/plain': '[one](java&#9;script:alert(1)) [two](< javascript:alert(1)>) [three](javascript:alert(1))',
  })
  const expected = ['java%09script:alert(1)', '%20javascript:alert(1)', null]
  await waitForValue(async () => (await links(text)).join(), expected.join())
  const answer = Promise.withResolvers<void>()
  await page.route('**/v2/threads/*/messages', async (route) => {
    await answer.promise
    await route.continue()
  })
  await press(page, 'Enter')
  const message = page.getByRole('main').locator('.message')
  await waitForVisible(message.getByText('three'))
  expect(await links(message)).toEqual(expected)
  answer.resolve()
  await waitForValue(async () => (await cast.ada.messages.list({ thread_id: thread.id })).data.length, 1)
})

describe('files', () => {
  test('are shown in the text, described, replaced and removed', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await text.click()
    await page.keyboard.type('Before')
    await pasteFiles(page, [{ name: 'chart.png', content: await picture('png', [80, 60]) }])
    await page.keyboard.type('After')
    const image = text.getByRole('img', { name: 'chart.png' })
    await waitForVisible(image)
    await waitForValue(
      async () => /^Before\n\n!\[chart\.png\]\(file_\w+\)\n\nAfter$/.test(await draftOf(page, cast)),
      true,
    )
    await image.click()
    await page.getByRole('textbox', { name: 'Description of chart.png' }).fill('Reminders [per] hour')
    await waitForValue(async () => (await draftOf(page, cast)).includes('![Reminders \\[per\\] hour](file_'), true)
    const before = await draftOf(page, cast)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Replace chart.png' }).click()
    await (await chooser).setFiles({
      name: 'other.png',
      mimeType: 'image/png',
      buffer: Buffer.from(await (await picture('png', [60, 60])).arrayBuffer()),
    })
    await waitForValue(
      async () =>
        (await draftOf(page, cast)).replace(/file_\w+/, '') === before.replace(/file_\w+/, '') &&
        (await draftOf(page, cast)) !== before,
      true,
    )
    await page.getByRole('button', { name: 'Remove other.png' }).click()
    await expectDraft(page, cast, 'Before\n\nAfter')
    await press(page, 'Control+z')
    await waitForVisible(text.getByRole('img', { name: 'Reminders [per] hour' }))
  })
})

describe('alt text', () => {
  const pictureOf = async (name: string) => ({ name, content: await picture('png', [80, 60]) })
  const fieldOf = (page: Page, name: string) => page.getByRole('textbox', { name: `Description of ${name}` })

  test('is asked for right under an inserted picture until it is described, while one goes on typing', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    await text.click()
    await page.keyboard.type('One')
    await pasteFiles(page, [await pictureOf('a  b.png'), await pictureOf('c.png')])
    for (const name of ['a  b.png', 'c.png']) {
      await waitForVisible(fieldOf(page, name))
      expect(await fieldOf(page, name).inputValue()).toBe('')
    }
    expect(await page.getByRole('button', { name: /^(?:Replace|Remove) / }).count()).toBe(0)
    await waitForFocus(text)
    await page.keyboard.type(' two')
    await waitForValue(
      async () => (await draftOf(page, cast)).replace(/\[[^\]]+\]\(file_\w+/g, '[name](file'),
      'One two\n\n![name](file)\n\n![name](file)',
    )

    // In the order in which they are seen, and back.
    const [first, second] = [0, 1].map((at) => text.getByRole('textbox').nth(at)) as [Locator, Locator]
    const described = fieldOf(page, /a {2}b/.test((await first.getAttribute('aria-label'))!) ? 'a  b.png' : 'c.png')
    await press(page, 'Tab')
    await waitForFocus(first)
    await press(page, 'Tab')
    await waitForFocus(second)
    await press(page, 'Shift+Tab')
    await waitForFocus(first)
    await page.keyboard.type('A chart')
    await waitForValue(async () => (await draftOf(page, cast)).includes('![A chart](file_'), true)
    await waitForFocus(first)
    await press(page, 'Enter')
    await waitForFocus(text)
    await waitForHidden(described)
    await page.keyboard.type(' three')
    await waitForValue(async () => (await draftOf(page, cast)).startsWith('One two three\n'), true)
    expect(await text.getByRole('textbox').count()).toBe(1)
  })

  test('is not asked for in a text that is only opened, nor after it was sent', async () => {
    const cast = await world()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch?' })
    const { page, text } = await openEditor(cast, `/posts/${post.id}`, 'Comment')
    await text.click()
    await page.keyboard.type('Look')
    await press(page, 'Home')
    await waitForSelection(page)
    await pasteFiles(page, [await pictureOf('chart.png')])
    await waitForVisible(fieldOf(page, 'chart.png'))
    await press(page, 'Control+Enter')
    const comment = page.getByRole('article', { name: /^Comment/ })
    await waitForVisible(comment.getByRole('img', { name: 'chart.png' }))
    await waitForHidden(fieldOf(page, 'chart.png'))

    await comment.hover()
    await comment.getByRole('button', { name: 'Comment actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edited = page.getByRole('textbox', { name: 'Edit comment' })
    await waitForVisible(edited.getByRole('img', { name: 'chart.png' }))
    await waitForFocus(edited)
    expect(await fieldOf(page, 'chart.png').count()).toBe(0)
  })
})

test('a text that ends with a picture is continued below it', async () => {
  const cast = await world()
  const { ada, general } = cast
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const { id: file } = await ada.files.upload({ name: 'chart.png', file: await picture() })
  const content_markdown = `Look\n\n![chart.png](${file})`
  const { id } = await ada.comments.create({ post_id: post.id, content_markdown })
  const page = await openPage(cast, ada, `/posts/${post.id}`, { isFormatted: true })
  const comment = page.getByRole('article', { name: /^Comment/ })
  await comment.hover()
  await comment.getByRole('button', { name: 'Comment actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Edit comment' })
  await waitForVisible(text.getByRole('img', { name: 'chart.png' }))
  await waitForFocus(text)
  await page.keyboard.type('There')
  await page.keyboard.press('Control+Enter')
  await waitForVisible(comment.getByText('There'))
  expect(await sourceOf(cast, ada, `/v2/comments/${id}`)).toBe(`${content_markdown}\n\nThere`)
})

test('has no axe violations, with its menus and lists', async () => {
  const cast = await world()
  const { page, text } = await openEditor(cast, newPostPath(cast), 'Text', { bypassCSP: true })
  await addAxe(page)
  const check = async (state: string) => expect(await violations(page, state, 'light')).toEqual([])
  await text.click()
  await paste(text, {
    'text/plain': '# A\n\n- [x] b\n\n```sql\nselect 1\n```\n\n| a |\n|---|\n| 1 |\n\n> q https://e.com `c`',
  })
  await pasteFiles(page, [{ name: 'chart.png', content: await picture('png', [80, 60]) }])
  await waitForVisible(page.getByRole('textbox', { name: 'Description of chart.png' }))
  await check('a picture that asks for its alt text')
  await text.getByRole('img', { name: 'chart.png' }).click()
  await waitForVisible(page.getByRole('button', { name: 'Replace chart.png' }))
  await check('a file')
  await page.getByRole('button', { name: 'Language: SQL' }).click()
  await waitForVisible(page.getByRole('menu', { name: 'Language' }))
  await check('languages')
  await press(page, 'Escape')
  await tool(page, /^Text style/).click()
  await waitForVisible(page.getByRole('menu', { name: 'Text style' }))
  await check('styles')
  await press(page, 'Escape', 'Control+End', 'Enter')
  await page.keyboard.type('/')
  await waitForVisible(page.getByRole('listbox', { name: 'Blocks' }))
  await check('blocks')
  await press(page, 'Escape', 'Backspace')
  await page.keyboard.type('word')
  await press(page, 'Control+Shift+ArrowLeft')
  await waitForSelection(page)
  await press(page, 'Control+k')
  await waitForFocus(page.getByRole('textbox', { name: 'Address of the link' }))
  await check('a link')
})

describe('the Markdown switch', () => {
  test('keeps text and caret, and is remembered', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    const area = page.locator('textarea.writing')
    const markdownSwitch = page.getByRole('switch', { name: 'Markdown' })
    await text.click()
    await page.keyboard.type('**one** two')
    await press(page, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')
    await markdownSwitch.click()
    await waitForFocus(area)
    await page.keyboard.type('and ')
    expect(await area.inputValue()).toBe('**one** and two')
    await markdownSwitch.click()
    await waitForFocus(text)
    await page.keyboard.type('a ')
    await expectDraft(page, cast, '**one** and a two')
    await markdownSwitch.click()
    await waitForFocus(area)
    await waitForValue(async () => (await cast.ada.me.getPreferences()).writes_markdown, true)
    await page.reload()
    await waitForVisible(area)
    await waitForValue(() => markdownSwitch.getAttribute('aria-checked'), 'true')

    // What only Markdown can show stays Markdown, and says why.
    await area.fill('[a][b]\n\n[b]: https://example.com')
    await markdownSwitch.click()
    await waitForValue(() => markdownSwitch.getAttribute('aria-disabled'), 'true')
    await waitForValue(() => markdownSwitch.getAttribute('title'), 'This text has parts that only Markdown can show.')
    expect(await area.inputValue()).toContain('[b]: https')
    await area.fill('plain')
    await waitForValue(() => markdownSwitch.getAttribute('aria-disabled'), null)
    await markdownSwitch.click()
    await waitForValue(() => text.textContent(), 'plain')
  })

  test('what is typed before the editor is there stays, with the caret', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', { isFormatted: true })
    const held = Promise.withResolvers<void>()
    await page.route(/\/assets\/editor-/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(cast.baseUrl + newPostPath(cast))
    const area = page.locator('textarea.writing')
    await area.click()
    await page.keyboard.type('# Lunch\n\nat noon')
    await press(page, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')
    held.resolve()
    await waitForFocus(richText(page))
    await page.keyboard.type('12 ')
    await expectDraft(page, cast, '# Lunch\n\nat 12 noon')
    await waitForVisible(richText(page).getByRole('heading', { name: 'Lunch' }))
  })
})

describe('drafts', () => {
  test('two tabs write one draft; what came from the other tab is not undone', async () => {
    const cast = await world()
    const { page, text } = await openEditor(cast, newPostPath(cast))
    const other = await page.context().newPage()
    await other.goto(cast.baseUrl + newPostPath(cast))
    await waitForVisible(richText(other))
    await text.click()
    await page.keyboard.type('Mine.')
    await waitForValue(() => richText(other).textContent(), 'Mine.')
    await richText(other).click()
    await press(other, 'Control+Home')
    await other.keyboard.type('Theirs. ')
    await waitForValue(() => text.textContent(), 'Theirs. Mine.')
    await page.keyboard.type(' More.')
    await expectDraft(page, cast, 'Theirs. Mine. More.')
    await press(page, 'Control+z')
    await waitForValue(async () => (await draftOf(page, cast)).startsWith('Theirs.'), true)
    await waitForValue(async () => (await draftOf(page, cast)).includes('More'), false)
  })

  test('a published post is edited formatted, and leaves nothing behind', async () => {
    const cast = await world()
    const markdown = '* one\n* two\n\n__bold__ <b>'
    const post = await cast.ada.posts.create({
      channel_id: cast.general.id,
      title: 'Lunch',
      content_markdown: markdown,
    })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, { isFormatted: true, ...PHONE })
    await page.getByRole('button', { name: 'Post actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const text = richText(page)
    await waitForVisible(text)
    await text.click()
    await press(page, 'Control+End')
    await page.keyboard.type(' more')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForHidden(text)
    expect(await sourceOf(cast, cast.ada, `/v2/posts/${post.id}`)).toBe('* one\n* two\n\n**bold** \\<b> more')
  })

  test('takes nothing from what is pasted that no text can have', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`, { isFormatted: true })
    const text = richText(page)
    await waitForVisible(text)
    await text.click()
    const around = [
      ['heading', { level: -1 }],
      ['heading', { level: 1e9 }],
      ['heading', { level: 'x y' }],
    ]
    for (const context of around)
      await text.evaluate(
        (element, slice) => {
          const span = document.createElement('span')
          span.dataset.pmSlice = slice
          span.textContent = 'pasted '
          const clipboardData = new DataTransfer()
          clipboardData.setData('text/html', span.outerHTML)
          element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
        },
        `0 0 ${JSON.stringify(context)}`,
      )
    await page.keyboard.type('end')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    expect(await sourceOf(cast, cast.ada, `/v2${new URL(page.url()).pathname}`)).toMatch(
      /^pasted *\n*pasted *\n*pasted *\n*end$/,
    )
  })

  test('leaves a text that was only opened as it was written', async () => {
    const cast = await world()
    const { ada, general } = cast
    const content_markdown = 'One\n\n\n\n```js\nx\n```\n'
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown })
    const page = await openPage(cast, ada, `/posts/${id}`, { isFormatted: true })
    await page.getByRole('button', { name: 'Post actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
    const text = richText(page)
    await waitForVisible(text)
    await text.locator('pre').click()
    // A line to write in follows the code.
    await waitForVisible(text.locator(':scope > p:last-child'))
    expect(await page.evaluate(() => localStorage.getItem('parley:drafts') ?? '{}')).toBe('{}')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByRole('article', { name: 'Post' }))
    expect(await sourceOf(cast, ada, `/v2/posts/${id}`)).toBe(content_markdown.trim())
  })

  test('sends what is typed while its mentions are looked up', async () => {
    const cast = await world()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch?' })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, { isFormatted: true })
    const text = richText(page, 'Comment')
    await waitForVisible(text)
    // What is looked up is waited for.
    await holdTimers(page, 2_000)
    const answer = Promise.withResolvers<void>()
    await page.route('**/v2/audience?**', async (route) => {
      await answer.promise
      await route.continue()
    })
    await text.click()
    await page.keyboard.type('@bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    await page.keyboard.press('Control+Enter')
    await page.keyboard.type('now')
    answer.resolve()
    const list = async () => (await cast.ada.comments.list({ post_id: post.id })).data
    await waitForValue(async () => (await list()).length, 1)
    const [comment] = await list()
    expect(await sourceOf(cast, cast.ada, `/v2/comments/${comment!.id}`)).toBe(`<@${cast.bob.id}> now`)
  })
})
