import type { JSHandle, Page } from 'playwright-core'

/** A file that is dropped or pasted. */
export interface GivenFile {
  name: string
  content: Blob
}

/** What the browser hands over when files are dropped or pasted. */
async function toTransfer(page: Page, files: readonly GivenFile[]): Promise<JSHandle<DataTransfer>> {
  const given = await Promise.all(
    files.map(async ({ name, content }) => ({
      name,
      type: content.type,
      base64: Buffer.from(await content.arrayBuffer()).toString('base64'),
    })),
  )
  return page.evaluateHandle((list) => {
    const transfer = new DataTransfer()
    for (const { name, type, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      transfer.items.add(new File([bytes], name, { type }))
    }
    return transfer
  }, given)
}

/** Drags files over an element of the page, and drops them there. */
export async function dropFiles(
  page: Page,
  selector: string,
  files: readonly GivenFile[],
  whileOver?: () => Promise<void>,
) {
  const dataTransfer = await toTransfer(page, files)
  await page.dispatchEvent(selector, 'dragenter', { dataTransfer })
  await page.dispatchEvent(selector, 'dragover', { dataTransfer })
  await whileOver?.()
  await page.dispatchEvent(selector, 'drop', { dataTransfer })
}

/** Pastes files where the focus is. */
export async function pasteFiles(page: Page, files: readonly GivenFile[]) {
  const transfer = await toTransfer(page, files)
  await page.evaluate((clipboardData) => {
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement!.dispatchEvent(event)
  }, transfer)
}

/** Swipes over an element with one finger. */
export async function swipe(page: Page, selector: string, byX: number) {
  const { x, y, width, height } = (await page.locator(selector).boundingBox())!
  const start = { x: x + width / 2 - byX / 2, y: y + height / 2 }
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: start.x + at, y: start.y }],
    })
  await touch('touchStart', 0)
  await touch('touchMove', byX / 2)
  await touch('touchMove', byX)
  await touch('touchEnd', byX)
  await session.detach()
}

/** Makes the network of a page slow, or cuts it off. */
export async function controlNetwork(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  return (conditions: { offline?: boolean; uploadThroughput?: number }) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
      ...conditions,
    })
}
