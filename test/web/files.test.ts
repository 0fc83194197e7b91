import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { picture } from '../me/pictures'
import { bmp, dng, exif } from '../once/files/photos'
import { startTestServer } from '../server'
import { type World, world } from '../world'
import { openPage, PHONE, richText, test, waitForHidden, waitForValue, waitForVisible } from './browser'
import { controlNetwork, dropFiles, type GivenFile, pasteFiles, swipe } from './drop-files'

const area = (page: Page, name = 'Text') => page.getByRole('textbox', { name, exact: true })
const rows = (page: Page) => page.getByRole('list', { name: 'Files' }).getByRole('listitem')
const focusLabel = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
const lightbox = (page: Page) => page.getByRole('dialog', { name: /^Image/ })
const newPostPath = ({ general }: World) => `/posts/new?channel=${general.id}`

const image = async (name: string, size: [number, number] = [80, 60]): Promise<GivenFile> => ({
  name,
  content: await picture('png', size),
})
const bytes = (name: string, length: number): GivenFile => ({
  name,
  content: new Blob([new Uint8Array(length).fill(7)], { type: 'application/octet-stream' }),
})

/** A post with these pictures. */
async function postPictures({ ada, general }: World, ...names: string[]) {
  const file_ids: string[] = []
  for (const name of names) file_ids.push((await ada.files.upload({ name, file: await picture() })).id)
  return ada.posts.create({ channel_id: general.id, title: 'Pictures', content_markdown: 'See', file_ids })
}

/** Whether an image has loaded. */
const isLoaded = (page: Page, alt: string) =>
  page.getByRole('img', { name: alt, exact: true }).evaluate((element) => {
    const { complete, naturalWidth } = element as HTMLImageElement
    return complete && naturalWidth > 0
  })

describe('files in the composer', () => {
  test('a pasted picture is put where the caret was, described, kept by the draft, and seen by others at once', async () => {
    const cast = await world()
    const reader = await openPage(cast, cast.bob, `/channels/${cast.general.id}`)
    await waitForVisible(reader.getByRole('heading', { name: 'No posts yet' }))
    const page = await openPage(cast, cast.ada, newPostPath(cast))
    await area(page).click()
    await page.keyboard.type('Before')
    await pasteFiles(page, [await image('image.png')])
    await page.keyboard.type('After')
    await waitForValue(
      async () => /^Before\n\n!\[image\.png\]\(file_\w+\)\n\nAfter$/.test(await area(page).inputValue()),
      true,
    )
    expect(await focusLabel(page)).toBe('Text')

    await page.getByRole('textbox', { name: 'Description of image.png' }).fill('A [red] square')
    await page.reload()
    await waitForValue(
      () =>
        area(page)
          .inputValue()
          .then((text) => text.includes('![A \\[red\\] square](file_')),
      true,
    )
    await waitForValue(() => rows(page).count(), 1)
    await page.getByRole('button', { name: 'Preview' }).click()
    await waitForValue(() => isLoaded(page, 'A [red] square'), true)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/post_/)
    await waitForValue(() => isLoaded(page, 'A [red] square'), true)

    await waitForVisible(reader.getByTitle('1 file'))
    await reader.getByRole('link', { name: 'Before' }).click()
    await waitForValue(() => isLoaded(reader, 'A [red] square'), true)
    await pasteFiles(page, [await image('again.png')])
    await waitForValue(() => rows(page).count(), 1)
    await page.getByRole('button', { name: 'Remove again.png' }).click()
    await waitForValue(() => area(page, 'Comment').inputValue(), '')
  })

  test('says that the metadata of a raw photo is kept, and says nothing about a file whose metadata was removed', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, newPostPath(cast))
    await area(page).click()
    const given = (name: string, content: Uint8Array) => ({
      name,
      content: new Blob([content as Uint8Array<ArrayBuffer>]),
    })
    const files = [
      await image('a.png'),
      given('b.dng', dng()),
      given('c.bmp', bmp()),
      given('d.jpg', exif(1).subarray(0, 20)),
    ]
    await dropFiles(page, 'form', files)
    await waitForValue(() => page.getByRole('button', { name: 'Remove' }).count(), 4)
    const notes = rows(page).filter({ hasText: 'metadata is kept. It can include the place' })
    await waitForValue(() => notes.count(), 2)
    await waitForVisible(notes.getByText('b.dng'))
    await waitForVisible(notes.getByText('d.jpg'))
  })

  test('says next to a file that the disk of the server is full, and uploads it once there is space', async () => {
    let freeBytes = 0
    const readSpace = async () => ({ freeBytes, totalBytes: 2 ** 31 })
    const cast = await world(await startTestServer({}, { readSpace }))
    const page = await openPage(cast, cast.ada, newPostPath(cast), { expectedErrors: /507/ })
    await area(page).click()
    await dropFiles(page, 'form', [bytes('small.bin', 1_000), bytes('large.bin', 9_000_000)])
    await waitForValue(() => page.getByRole('alert').getByText('The disk of the server is almost full').count(), 2)
    freeBytes = 2 ** 30
    await waitForVisible(page.getByText('Could not upload 2 files.'))
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await waitForValue(
      () =>
        area(page)
          .inputValue()
          .then((text) => text.includes('[small.bin](file_') && text.includes('[large.bin](file_')),
      true,
    )
  })

  test('several files are dropped: one is cancelled, one is too large, one fails and is uploaded again', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', { expectedErrors: /ERR_INTERNET_DISCONNECTED/ })
    await waitForVisible(page.getByRole('heading', { name: 'No posts yet' }))
    // Where nothing is written, a new post is.
    await dropFiles(page, 'main', [bytes('notes.bin', 100)], () =>
      waitForVisible(page.getByText('Drop files to start a new post')),
    )
    await page.waitForURL(/\/posts\/new/)
    await waitForValue(
      () =>
        area(page)
          .inputValue()
          .then((text) => /^\[notes\.bin\]\(file_\w+\)\n\n$/.test(text)),
      true,
    )

    const setNetwork = await controlNetwork(page)
    await setNetwork({ uploadThroughput: 20_000 })
    // For more than a minute, though it takes only seconds to see and to cancel them.
    const slow = [bytes('slow.bin', 1_600_000), bytes('other.bin', 1_600_000)]
    await dropFiles(page, 'form', slow, () => waitForVisible(page.getByText('Drop files to add them to your post')))
    const progress = page.getByRole('progressbar', { name: 'Uploading slow.bin' })
    await waitForValue(() => progress.evaluate((bar) => (bar as HTMLProgressElement).value > 0), true)
    await waitForVisible(page.getByRole('button', { name: /^Uploading… \(Wait until the files are uploaded\.\)/ }))
    await page.getByRole('button', { name: 'Cancel slow.bin' }).click()
    await page.getByRole('button', { name: 'Cancel other.bin' }).click()
    await waitForValue(() => rows(page).count(), 1)

    await setNetwork({ offline: true })
    await dropFiles(page, 'main', [bytes('lost.bin', 1_000)])
    await waitForVisible(page.getByRole('alert').getByText('Could not upload the file.'))
    await waitForVisible(rows(page).getByText('1 KB · not uploaded'))
    // It is uploaded as soon as there is a connection.
    await setNetwork({})
    await waitForValue(
      () =>
        area(page)
          .inputValue()
          .then((text) => text.includes('[lost.bin](file_')),
      true,
    )
    const unused = (await cast.ada.files.list({})).data.map(({ name }) => name)
    expect(unused.filter((name) => slow.some((cancelled) => cancelled.name === name))).toEqual([])

    await page.evaluate(() => {
      const transfer = new DataTransfer()
      const part = new Uint8Array(10_000_000)
      transfer.items.add(new File(Array(11).fill(part), 'huge.bin'))
      document
        .querySelector('main')!
        .dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
    })
    await waitForVisible(page.getByText('This file is too large: 110 MB.'))
    await page.getByRole('button', { name: 'Remove huge.bin' }).click()
    await waitForValue(() => rows(page).count(), 2)
  })

  test('an upload finishes after the composer was closed, and does not bring back a draft that was discarded', async () => {
    const cast = await world()
    const { ada, general } = cast
    const page = await openPage(cast, ada, newPostPath(cast))
    const release = new Map<string, () => void>()
    await page.route('**/v2/files?*', async (route) => {
      const name = new URL(route.request().url()).searchParams.get('name')!
      await new Promise<void>((resolve) => release.set(name, resolve))
      await route.continue()
    })
    await area(page).fill('Plan')
    await dropFiles(page, 'form', [bytes('first.bin', 100), bytes('second.bin', 100), bytes('third.bin', 100)])
    await waitForValue(() => release.size, 3)
    // The first one finishes while the next page is still loading.
    const loading = Promise.withResolvers<void>()
    await page.route('**/assets/**', (route) => loading.promise.then(() => route.continue()))
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Drafts' }).click()
    await waitForHidden(area(page))
    const readText = async () => {
      const draft = await ada.drafts.get({ subject_id: general.id }).catch(() => undefined)
      return draft?.content_markdown.replace(/\(file_\w+\)/, '').trim()
    }
    release.get('first.bin')!()
    await waitForValue(readText, 'Plan\n\n[first.bin]')
    loading.resolve()

    const row = page.getByRole('main').getByRole('listitem')
    await waitForVisible(row.getByText('Plan'))
    await ada.drafts.delete({ subject_id: general.id })
    await waitForHidden(row)
    release.get('second.bin')!()
    await waitForValue(readText, '[second.bin]')

    await row.getByRole('button', { name: /^Discard/ }).click()
    await waitForValue(readText, undefined)
    await page.goBack()
    await waitForVisible(area(page))
    expect([await area(page).inputValue(), await rows(page).count()]).toEqual(['', 0])
  })
})

describe('files in formatted text', () => {
  const formatted = { isFormatted: true }
  const draftOf = async ({ ada, general }: World) =>
    (await ada.drafts.get({ subject_id: general.id }).catch(() => undefined))?.content_markdown.replace(
      /file_\w+/g,
      'file',
    )

  test('are shown where the caret was when they were dropped, kept by a reload, and sent', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, newPostPath(cast), formatted)
    const text = richText(page)
    await text.click()
    await page.keyboard.type('Before')
    await dropFiles(page, 'form', [await image('chart.png'), bytes('numbers.bin', 2_000)])
    await page.keyboard.type('After')
    const written = 'Before\n\n![chart.png](file)\n\n[numbers.bin](file)\n\nAfter'
    await waitForValue(() => draftOf(cast), written)
    for (const time of ['at once', 'after a reload']) {
      if (time === 'after a reload') await page.reload()
      await waitForVisible(text.locator('.file-card').filter({ hasText: 'numbers.bin' }).getByText('2 KB'))
      await waitForValue(() => isLoaded(page, 'chart.png'), true)
      // No list of files below it, and nothing of how they are written.
      expect(await rows(page).count()).toBe(0)
      expect(await text.innerText()).not.toMatch(/file_|!\[/)
    }
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/post_/)
    await waitForVisible(page.getByRole('article', { name: 'Post' }).getByRole('link', { name: 'numbers.bin' }))
    await waitForValue(() => isLoaded(page, 'chart.png'), true)
  })

  test('say how far their uploads are, can be cancelled, and are put in their place once there is a connection', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, newPostPath(cast), {
      ...formatted,
      expectedErrors: /ERR_INTERNET_DISCONNECTED/,
    })
    const text = richText(page)
    await text.click()
    await page.keyboard.type('Before')
    const setNetwork = await controlNetwork(page)
    await setNetwork({ uploadThroughput: 20_000 })
    await pasteFiles(page, [bytes('slow.bin', 1_600_000)])
    const progress = page.getByRole('progressbar', { name: 'Uploading slow.bin' })
    await waitForValue(() => progress.evaluate((bar) => (bar as HTMLProgressElement).value > 0), true)
    await waitForVisible(page.getByRole('button', { name: /^Uploading… \(Wait until the files are uploaded\.\)/ }))
    await page.getByRole('button', { name: 'Cancel slow.bin' }).click()
    await waitForHidden(progress)
    await text.focus()

    await setNetwork({ offline: true })
    await pasteFiles(page, [bytes('lost.bin', 1_000)])
    await page.keyboard.type('After')
    await waitForVisible(page.getByRole('alert').getByText('Could not upload the file.'))
    await waitForVisible(rows(page).getByText('1 KB · not uploaded'))
    await setNetwork({})
    await waitForValue(() => draftOf(cast), 'Before\n\n[lost.bin](file)\n\nAfter')
    await waitForValue(() => rows(page).count(), 0)
    await waitForVisible(text.locator('.file-card').getByText('lost.bin'))
  })
})

describe('files that were sent', () => {
  test('the lightbox is used by keyboard, by swiping and by the back button', async () => {
    const cast = await world()
    const post = await postPictures(cast, 'one.png', 'two.png')
    const page = await openPage(cast, cast.bob, `/posts/${post.id}`, { reducedMotion: 'no-preference' })
    await page.getByRole('link', { name: 'Open image: one.png' }).press('Enter')
    await waitForVisible(lightbox(page).getByText('1 of 2'))
    await waitForValue(() => lightbox(page).evaluate((box) => box.matches(':focus-within')), true)
    await page.keyboard.press('ArrowRight')
    await waitForVisible(lightbox(page).getByText('2 of 2'))
    await waitForValue(() => lightbox(page).getByRole('img').getAttribute('alt'), 'two.png')
    await page.keyboard.press('Escape')
    await waitForHidden(lightbox(page))
    await waitForValue(() => focusLabel(page), 'Open image: two.png')
    await waitForValue(() => new URL(page.url()).search, '')

    const phone = await openPage(cast, cast.bob, `/posts/${post.id}`, PHONE)
    await phone.getByRole('link', { name: 'Open image: one.png' }).tap()
    await waitForVisible(lightbox(phone).getByText('1 of 2'))
    await swipe(phone, '.lightbox-stage', -160)
    await waitForVisible(lightbox(phone).getByText('2 of 2'))
    await swipe(phone, '.lightbox-stage', 160)
    await waitForVisible(lightbox(phone).getByText('1 of 2'))
    await phone.goBack()
    await waitForHidden(lightbox(phone))
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
  })

  test('a channel lists its files, new ones at once; a deleted one is no longer available', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.bob, `/channels/${cast.general.id}`)
    await page
      .getByRole('navigation', { name: 'Channel' })
      .getByRole('link', { name: /^Files/ })
      .click()
    await waitForVisible(page.getByRole('heading', { name: 'No files yet' }))
    const post = await postPictures(cast, 'one.png')
    await waitForVisible(page.getByRole('link', { name: 'Open image: one.png' }))
    const refer = async (name: string) => {
      const { id } = await cast.ada.files.upload({ name, file: new Blob(['text']) })
      return { content_markdown: `See the [report](${id}).` }
    }
    await cast.ada.posts.create({ channel_id: cast.general.id, ...(await refer('in-line.txt')) })
    await waitForVisible(page.getByText('in-line.txt'))
    await cast.ada.posts.resolve({ post_id: post.id, ...(await refer('note.txt')) })
    await waitForVisible(page.getByText('note.txt'))
    await cast.ada.posts.unresolve({ post_id: post.id })
    await waitForHidden(page.getByText('note.txt'))
    await page.getByRole('link', { name: 'Open image: one.png' }).click()
    await waitForValue(
      () =>
        lightbox(page)
          .getByRole('img')
          .evaluate((shown) => (shown as HTMLImageElement).complete),
      true,
    )
    await page.keyboard.press('Escape')
    await waitForHidden(lightbox(page))

    const file = (await cast.ada.files.list({ channel_id: cast.general.id })).data.find(
      ({ name }) => name === 'one.png',
    )
    await cast.ada.files.delete({ id: file!.id })
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(page.getByText('This file is no longer available'))
  })
})
