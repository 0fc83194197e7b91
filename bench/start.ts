import { freePort } from '../test/postgres'
import { dataset } from './lib/dataset'
import { grouped, option, summarize } from './lib/figures'
import { addResult } from './lib/results'
import { root } from './lib/servers'
import { killOnExit, stopProcess } from './lib/subprocess'

const posts = option('large', 1_000_000)
const STARTS = 7

/** How long it takes from the command to the first page of posts. */
export async function benchStart() {
  const { url, token } = await dataset(posts)
  const times: number[] = []
  for (let start = 0; start <= STARTS; start++) {
    const took = await firstAnswer(url, token)
    // The first one reads the files.
    if (start > 0) times.push(took)
  }
  const { median, spread } = summarize(times)
  console.log(`\n## From start to first answer, ${grouped(posts)} posts\n`)
  console.log(`${Math.round(median)} ms ± ${Math.round(spread * 100)} %, ${STARTS} starts.`)
  const question = `Start: to the first answer, ${grouped(posts)} posts`
  addResult({ question, goal: { at: 'most', value: 400, unit: 'ms' }, value: median })
}

async function firstAnswer(url: string, token: string): Promise<number> {
  const port = await freePort()
  const started = performance.now()
  const child = killOnExit(
    Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: url, PORT: String(port), LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  try {
    while (child.exitCode === null) {
      const isThere = await fetch(`http://127.0.0.1:${port}/v2/posts`, {
        headers: { Authorization: `Bearer ${token}` },
      })
        .then(async (answer) => (await answer.text()) && answer.ok)
        .catch(() => false)
      if (isThere) return performance.now() - started
      await Bun.sleep(1)
    }
    throw new Error(`The server ended with ${child.exitCode}.`)
  } finally {
    await stopProcess(child)
  }
}
