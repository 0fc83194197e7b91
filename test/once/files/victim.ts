import { randomUUID } from 'node:crypto'
import { openFolder } from '../../../src/files/folder'
import { openPreviews } from '../../../src/files/previews'
import { picture } from '../../me/pictures'
import { randomBytes, stageBytes } from './storage-suite'

/** Stores files and makes previews until it is killed. Each object is named by the hash of what it should hold. */
const storage = openFolder(process.argv[2]!)
const previews = openPreviews(storage)
const image = await (await picture('png', [900, 600])).bytes()

let stored = 0

async function storeFiles(): Promise<never> {
  while (true) {
    const staged = await stageBytes(storage, randomBytes(1_500_000))
    await storage.put(`wsp_1/${staged.hash.slice(0, 2)}/${staged.hash}`, staged)
    stored++
  }
}

async function makePreviews(): Promise<never> {
  while (true) {
    const object = `previews/ab/${randomUUID()}`
    await storage.write(object, image)
    await previews.read(object, 'large')
    if (stored > 0) process.stdout.write('.')
  }
}

await Promise.all([storeFiles(), storeFiles(), makePreviews()])
