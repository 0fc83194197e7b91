import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './lib/child'
import { coresNote } from './lib/cores'
import { dataset } from './lib/dataset'
import { grouped, option, table } from './lib/figures'
import { addResult } from './lib/results'
import { type Server, scratch, startParley } from './lib/servers'
import type { StreamTask, StreamTimes } from './lib/stream-clients'

const streams = option('streams', 2_000)
const rounds = option('rounds', 20)

/** How soon an event reaches everyone who follows the log live, and what each of them costs. */
export async function benchStreams() {
  const data = await dataset(1_000)
  const folder = mkdtempSync(join(scratch, 'streams-'))
  const database = join(folder, 'parley.db')
  copyFileSync(data.database, database)
  const { token } = data
  const server = await startParley(`sqlite:${database}`)
  const listeners = await startChild<StreamTask, StreamTimes>('stream-clients.ts', 1)
  try {
    const kinds = await writesOf(server, token)
    const ask = (count: number, writes: StreamTask['writes']) =>
      listeners.run({ port: server.port, token, streams: count, writes })
    await ask(1, kinds[0]!.writes.slice(0, 5))
    const before = server.memory()
    await ask(streams, [])
    const opened = server.memory()
    const rows: string[][] = []
    for (const { name, writes } of kinds) {
      const cpu = server.cpu()
      const { waits } = await ask(streams, writes)
      const last = middle(waits.map((each) => each.at(-1)!))
      const question = `Live: ${name} to the last of ${grouped(streams)} streams`
      addResult({ question, value: last, shown: `${Math.round(last)} ms` })
      rows.push([name, ...timesOf(waits), `${(((server.cpu() - cpu) * 1000) / rounds).toFixed(0)} ms`])
    }
    const after = server.memory()
    addResult({ question: 'Live: memory for each stream', value: after - before, shown: `${kib(after - before)} KiB` })
    console.log(`\n## Live: one event to ${grouped(streams)} open streams, one process, SQLite\n`)
    console.log(`${coresNote} ${rounds} events of each kind, one after the other; from the request to the reader.\n`)
    console.log(table(['event', 'first', 'median', 'last, median', 'last, worst', 'processor'], rows))
    console.log(
      `\nMemory: ${kib(opened - before)} KiB a stream once they are open, ${kib(after - before)} KiB after that;`,
    )
    console.log(`the process had ${mib(before)} MiB before, ${mib(after)} MiB at the end.`)
  } finally {
    await listeners.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }

  function kib(bytes: number): string {
    return (bytes / 1024 / streams).toFixed(1)
  }
}

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024)

/** What is written: something that is only passed on, and something after which everyone's sight is looked up again. */
async function writesOf(server: Server, token: string) {
  const response = await fetch(`http://127.0.0.1:${server.port}/v2/channels?limit=1`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const [channel] = ((await response.json()) as { data: { id: string }[] }).data
  const posts = Array.from({ length: rounds }, (_, turn) => ({
    path: '/v2/posts',
    body: JSON.stringify({ channel_id: channel!.id, content_markdown: `Post ${turn}: what we said on Monday.` }),
  }))
  const channels = Array.from({ length: rounds }, (_, turn) => ({
    path: '/v2/channels',
    body: JSON.stringify({ name: `bench ${turn}` }),
  }))
  return [
    { name: 'a post', writes: posts },
    { name: 'a new channel', writes: channels },
  ]
}

function timesOf(waits: readonly number[][]): string[] {
  const lasts = waits.map((each) => each.at(-1)!)
  const milliseconds = [middle(waits.map((each) => each[0]!)), middle(waits.flat()), middle(lasts), Math.max(...lasts)]
  return milliseconds.map((time) => `${time.toFixed(1)} ms`)
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
