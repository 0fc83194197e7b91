import { startChild } from './lib/child'
import { coresNote } from './lib/cores'
import { copyDataset } from './lib/dataset'
import { grouped, median } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { size } from './lib/settings'
import type { StreamTask, StreamTimes } from './lib/stream-clients'
import { getJson, getText } from './lib/urls'

const KIB = 1024
const EVENTS_PER_SECOND = 4
const READS_PER_SECOND = 100

/** How soon an event reaches everyone who follows the live stream, and what each of them costs. */
export async function benchStreams() {
  const { streams, events } = size
  const data = await copyDataset('small', 'SQLite')
  const server = await startParley(data)
  const clients = await startChild<StreamTask, StreamTimes>('stream-clients.ts', 1)
  try {
    const kinds = await makeWrites(server, data.token)
    const run = (count: number, writes: StreamTask['writes']) =>
      clients.run({ port: server.port, token: data.token, streams: count, writes })
    await run(1, kinds[0]!.writes.slice(0, 5))
    const before = server.rss()
    await run(streams, [])
    const rows: string[][] = []
    for (const { name, writes } of kinds) {
      const cpu = server.cpu()
      const { waits } = await run(streams, writes)
      const last = median(waits.map((each) => each.at(-1)!))
      addResult({ name: `Live: ${name} to the last of ${grouped(streams)} streams`, value: last, unit: 'ms' })
      rows.push([name, ...formatWaits(waits), `${(((server.cpu() - cpu) * 1000) / events).toFixed(0)} ms`])
    }
    const perStream = (server.rss() - before) / KIB / streams
    addResult({ name: 'Live: memory for each stream', value: perStream, unit: 'KiB' })
    addSection(
      `Live: one event to ${grouped(streams)} open streams`,
      `${coresNote} SQLite, one process, ${events} events of each kind, one after the other; from the request to the reader. ${perStream.toFixed(1)} KiB of
memory for each stream.`,
      ['event', 'first', 'median', 'last', 'last, worst', 'CPU'],
      rows,
    )
    await benchBusy(server, data.token, clients.run, kinds[0]!.writes)
  } finally {
    await clients.stop()
    await server.stop()
    await data.remove()
  }
}

/** As many deliveries a second as one core can make, beside reads. */
async function benchBusy(
  server: Server,
  token: string,
  run: (task: StreamTask) => Promise<StreamTimes>,
  writes: StreamTask['writes'],
) {
  const streams = size.manyStreams
  await run({ port: server.port, token, streams, writes: [] })
  let peak = 0
  let failure: unknown
  const reading = setInterval(() => {
    peak = Math.max(peak, server.rss())
    getText(server.port, token, '/v2/posts').catch((error) => {
      failure ??= error
    })
  }, 1_000 / READS_PER_SECOND)
  const task = { port: server.port, token, streams, writes: [...writes, ...writes], everyMs: 1_000 / EVENTS_PER_SECOND }
  const { waits } = await run(task).finally(() => clearInterval(reading))
  if (failure) throw failure
  const sorted = waits.flat().sort((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!
  const name = `Live: ${grouped(streams)} streams, ${grouped(streams * EVENTS_PER_SECOND)} deliveries and ${READS_PER_SECOND} reads/s`
  addResult({ name: `${name}: p99`, value: p99, unit: 'ms', goal: { max: 250 }, isHeadline: true })
  addResult({ name: `${name}: peak memory`, value: peak / 1e6, unit: 'MB', goal: { max: 500 }, isHeadline: true })
  console.log(`\n${name}: p99 ${p99.toFixed(0)} ms, peak memory ${(peak / 1e6).toFixed(0)} MB`)
}

/** A post is only passed on; after a new channel, the visibility of every stream is looked up again. */
async function makeWrites(server: Server, token: string) {
  const { data } = await getJson<{ data: { id: string }[] }>(server.port, token, '/v2/channels?limit=1')
  const makeMany = (path: string, body: (number: number) => object) =>
    Array.from({ length: size.events }, (_, number) => ({ path, body: JSON.stringify(body(number)) }))
  const channel_id = data[0]!.id
  return [
    {
      name: 'a post',
      writes: makeMany('/v2/posts', (number) => ({ channel_id, content_markdown: `Post ${number}: what we said.` })),
    },
    { name: 'a new channel', writes: makeMany('/v2/channels', (number) => ({ name: `bench ${number}` })) },
  ]
}

function formatWaits(waits: readonly number[][]): string[] {
  const lasts = waits.map((each) => each.at(-1)!)
  const times = [median(waits.map((each) => each[0]!)), median(waits.flat()), median(lasts), Math.max(...lasts)]
  return times.map((time) => `${time.toFixed(1)} ms`)
}
