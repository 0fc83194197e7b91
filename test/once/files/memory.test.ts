import { afterAll, expect, test } from 'bun:test'
import { getRss } from '../../../bench/lib/usage'
import { createClient } from '../../client'
import { newMigratedDatabase } from '../../server'
import { type Child, startChild, waitUntil } from '../../torture/child'

const MIB = 1024 * 1024
const MAX_GROWTH_MB = 64

let child: Child | undefined
afterAll(() => child?.kill())

/** This many megabytes, generated while they are sent. */
function bodyOf(megabytes: number): ReadableStream<Uint8Array> {
  let left = megabytes * 16
  return new ReadableStream({
    pull: (controller) =>
      left-- > 0 ? controller.enqueue(crypto.getRandomValues(new Uint8Array(65_536))) : controller.close(),
  })
}

test('a large upload and its download take the server little memory', async () => {
  const database = await newMigratedDatabase()
  child = await startChild(database.url, { FILE_MAX_MB: '1024' })
  const { pid, url } = child
  const client = createClient({ baseUrl: url, token: await child.firstToken() })
  await waitUntil(child.isReady)
  // The web app is built meanwhile, which takes memory too.
  await (await fetch(url)).text()
  const upAndDown = async (megabytes: number) => {
    const { id, size } = await client.files.upload({ file: bodyOf(megabytes), name: 'disk.img' })
    expect(size).toBe(megabytes * MIB)
    let received = 0
    for await (const chunk of (await client.files.content({ id })).body!) received += chunk.length
    expect(received).toBe(size)
    await client.files.delete({ id })
  }
  await upAndDown(8)

  const before = getRss(pid)
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, getRss(pid))
  }, 20)
  await upAndDown(200)
  clearInterval(timer)
  expect((peak - before) / MIB).toBeLessThan(MAX_GROWTH_MB)
  await child.stop()
  await database.drop()
}, 300_000)
