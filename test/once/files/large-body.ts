import { openFolder } from '../../../src/files/folder'
import { inspect } from '../../../src/files/inspect'
import { stage } from '../../../src/files/staging'

/** Stores a body of so many megabytes, reads it, and prints by how many megabytes the memory grew. */
const [folder, megabytes] = [process.argv[2]!, Number(process.argv[3])]
const storage = openFolder(folder)
const peak = () => process.resourceUsage().maxRSS / 1_024
const chunk = () => crypto.getRandomValues(new Uint8Array(65_536))

async function store(count: number): Promise<void> {
  let left = count * 16
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(chunk()) : controller.close()),
  })
  const { staged } = await inspect(await stage(body, { folder: storage.stagingFolder, maxBytes: 2 ** 40 }), {
    name: 'x',
  })
  await storage.put('wsp_1/ab/large', staged)
  let bytes = 0
  for await (const part of (await storage.read('wsp_1/ab/large'))!.stream()) bytes += part.length
  if (bytes !== count * 1_048_576) throw new Error(`${bytes} bytes were read.`)
}

await store(1)
const before = peak()
await store(megabytes)
console.log(Math.round(peak() - before))
