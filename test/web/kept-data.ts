import type { Page } from 'playwright-core'
import { waitForValue } from './browser'

interface KeptRecord {
  hash: string
  json: string
  at: number
}

/** What is in the databases of the browser, as any program on the device could read it. */
export const readDevice = (page: Page) =>
  page.evaluate(async () => {
    const wait = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const names = (await indexedDB.databases()).map(({ name }) => name!)
    const records: unknown[] = []
    for (const name of names) {
      const database = await wait(indexedDB.open(name))
      for (const store of database.objectStoreNames)
        records.push(...(await wait(database.transaction(store).objectStore(store).getAll())))
      database.close()
    }
    return records as KeptRecord[]
  })

export const isKept = async (page: Page, text: string) => JSON.stringify(await readDevice(page)).includes(text)

/** What a page shows is stored a moment later. A page that is left before that has nothing to open with. */
export const waitUntilKept = (page: Page, text: string) => waitForValue(() => isKept(page, text), true)
