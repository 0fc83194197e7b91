import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Parley } from '../src/client'
import { coresNote } from './lib/cores'
import { copyDataset } from './lib/dataset'
import { median } from './lib/figures'
import { startGenerator } from './lib/measure'
import { addResult, addSection } from './lib/results'
import { type Server, startProgram } from './lib/servers'
import { isQuick, scratch, serverEnv, size } from './lib/settings'

const MIB = 1024 * 1024
const LARGE_MB = isQuick ? 8 : 1024
const UPLOADS = isQuick ? 4 : 50
/** A token can run ten uploads at once. */
const PER_TOKEN = 10

/** Bytes that are generated while they are sent. */
function bodyOf(megabytes: number): ReadableStream<Uint8Array> {
  const chunk = crypto.getRandomValues(new Uint8Array(65_536))
  let left = megabytes * 16
  return new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(chunk.slice()) : controller.close()),
  })
}

/** Measures what a large file costs, and how much many uploads at once slow down reads. */
export async function benchFiles() {
  const data = await copyDataset('small', 'SQLite')
  const env = { DATABASE_URL: data.url, ...serverEnv, FILE_MAX_MB: '1100', FILES_URL: join(scratch, 'files') }
  const server = await startProgram([process.execPath, 'src/start.ts', 'serve'], env)
  const baseUrl = `http://127.0.0.1:${server.port}`
  while (!(await fetch(`${baseUrl}/readyz`)).ok) await Bun.sleep(20)
  // The web app is built at the first start, which takes memory too.
  await (await fetch(baseUrl)).text()
  const client = new Parley({ baseUrl, token: data.memberToken })
  try {
    await measureLargeFile(server, client)
    await measureReads(server, data.token, baseUrl, client)
  } finally {
    await server.stop()
    await data.remove()
    rmSync(join(scratch, 'files'), { recursive: true, force: true })
  }
}

async function measureLargeFile(server: Server, client: Parley) {
  await client.files.delete({ id: (await client.files.upload({ file: bodyOf(1), name: 'warm-up' })).id })
  const before = server.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, server.rss())
  }, 10)
  const started = performance.now()
  const cpu = server.cpu()
  const { id } = await client.files.upload({ file: bodyOf(LARGE_MB), name: 'disk.img' })
  const uploaded = performance.now()
  const uploadCpu = server.cpu() - cpu
  for await (const _ of (await client.files.content({ id })).body!);
  const downloaded = performance.now()
  clearInterval(timer)
  await client.files.delete({ id })
  const copying = median(Array.from({ length: 3 }, timeCopy))
  addResult({
    name: `Files: memory for ${LARGE_MB} MiB up and down`,
    value: (peak - before) / MIB,
    unit: 'MiB',
    goal: { max: 64 },
  })
  addSection(
    `Files: ${LARGE_MB} MiB`,
    `${coresNote} SQLite, a folder. Writing the same bytes with a copy of a file takes ${copying.toFixed(0)} ms; an upload is also hashed (SHA-256).`,
    ['', 'time', 'relative to a copy', 'CPU'],
    [
      ['upload', ...formatTime(uploaded - started, copying), `${(uploadCpu * 1000).toFixed(0)} ms`],
      ['download', ...formatTime(downloaded - uploaded, copying), ''],
    ],
  )
}

const formatTime = (ms: number, copying: number) => [`${ms.toFixed(0)} ms`, (ms / copying).toFixed(1)]

/** How long it takes to copy a file of that size. */
function timeCopy(): number {
  mkdirSync(scratch, { recursive: true })
  const [from, to] = [join(scratch, 'copy-from'), join(scratch, 'copy-to')]
  writeFileSync(from, Buffer.alloc(LARGE_MB * MIB, 1))
  const started = performance.now()
  copyFileSync(from, to)
  const took = performance.now() - started
  for (const path of [from, to]) rmSync(path)
  return took
}

/** Requests for the first page per second, while files are uploaded over slow connections and while none is. */
async function measureReads(server: Server, token: string, baseUrl: string, client: Parley) {
  const generator = await startGenerator()
  const tokens: string[] = []
  while (tokens.length * PER_TOKEN < UPLOADS) tokens.push((await client.tokens.createMine({ scopes: ['write'] })).token)
  const read = async () => {
    const load = { port: server.port, token, urls: ['/v2/posts'], from: 0, method: 'GET' as const, connections: 8 }
    const { responses, seconds } = await generator.run({ ...load, seconds: size.seconds })
    return responses / seconds
  }
  try {
    await read()
    const alone = await read()
    let isOver = false
    const uploads = Array.from({ length: UPLOADS }, async (_, at) => {
      const uploader = new Parley({ baseUrl, token: tokens[Math.floor(at / PER_TOKEN)]! })
      while (!isOver) {
        const { id } = await uploader.files.upload({ file: slowBody(() => isOver), name: 'slow' })
        await uploader.files.delete({ id })
      }
    })
    const meanwhile = await read()
    isOver = true
    await Promise.all(uploads)
    addResult({
      name: `Files: first pages/s during ${UPLOADS} uploads, relative to none`,
      value: meanwhile / alone,
      goal: { min: 0.5 },
    })
  } finally {
    await generator.stop()
  }
}

/** About a megabyte per second, like a usual connection. */
function slowBody(isOver: () => boolean): ReadableStream<Uint8Array> {
  let left = 16
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(60)
      if (left-- === 0 || isOver()) controller.close()
      else controller.enqueue(new Uint8Array(65_536))
    },
  })
}
