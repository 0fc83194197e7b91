import { join } from 'node:path'
import { freePort } from '../test/postgres'
import { type Dataset, getDataset } from './lib/dataset'
import { grouped, summarize } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { engines, isQuick, root, scratch, serverEnv, size } from './lib/settings'
import { killOnExit, stopProcess } from './lib/subprocess'
import { getCpuSeconds } from './lib/usage'

const MAX_MILLISECONDS = 400
const commands = {
  'npm start': ['npm', 'start', '--silent'],
  'bun src/start.ts serve': [process.execPath, 'src/start.ts', 'serve'],
  'bun src/main.ts serve': [process.execPath, 'src/main.ts', 'serve'],
}

/** How long it takes from the command to the first page of posts. */
export async function benchStart() {
  const rows: string[][] = []
  // As `npm ci` does.
  Bun.spawnSync([process.execPath, 'scripts/bundle.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const npmAlone = await measureNpm()
  addResult({ name: '`npm start` of a program that does nothing', value: npmAlone, unit: 'ms' })
  for (const engine of engines)
    for (const [name, command] of Object.entries(commands)) {
      const data = await getDataset('large', engine)
      const starts: Start[] = []
      for (let start = 0; start <= size.starts; start++) {
        const measured = await measureStart(command, data)
        // The first start reads the files from disk.
        if (start > 0 || isQuick) starts.push(measured)
      }
      const { median, spread } = summarize(starts.map(({ time }) => time))
      const cpu = summarize(starts.map((each) => each.cpu)).median
      const isGoal = name === 'npm start'
      const title = `From \`${name}\` to the first response, ${grouped(size.large)} posts`
      const goal = isGoal ? { max: MAX_MILLISECONDS } : undefined
      addResult({ name: title, engine, value: median, unit: 'ms', goal, isHeadline: isGoal })
      if (!isGoal) addResult({ name: `${title}: CPU time`, engine, value: cpu, unit: 'ms' })
      rows.push([
        `\`${name}\``,
        engine,
        `${Math.round(median)} ms`,
        `± ${Math.round(spread * 100)} %`,
        isGoal ? '' : `${Math.round(cpu)} ms`,
      ])
    }
  addSection(
    `Start to first response, ${grouped(size.large)} posts`,
    `The median of ${size.starts} starts; the first response is a page of 50 posts. \`npm start\` runs \`src/start.ts\`, which runs the bundle that \`npm ci\` made;
\`src/main.ts\` is the same from source. npm alone, with a program that does nothing, takes ${Math.round(npmAlone)} ms.`,
    ['command', 'engine', 'time', 'spread', 'CPU'],
    rows,
  )
}

/** What npm itself takes to run a program. */
async function measureNpm(): Promise<number> {
  const folder = join(scratch, 'npm')
  await Bun.write(join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'exec true' } }))
  const times: number[] = []
  for (let start = 0; start <= size.starts; start++) {
    const started = performance.now()
    await Bun.spawn(commands['npm start'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).exited
    times.push(performance.now() - started)
  }
  return summarize(times).median
}

interface Start {
  /** Milliseconds until the first response. */
  time: number
  /** CPU milliseconds of the process until then; that of npm alone, where npm starts the server. */
  cpu: number
}

async function measureStart(command: string[], { url, token }: Dataset): Promise<Start> {
  const port = await freePort()
  const started = performance.now()
  const child = killOnExit(
    Bun.spawn(command, {
      cwd: root,
      env: { ...process.env, ...serverEnv, DATABASE_URL: url, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  const headers = { Authorization: `Bearer ${token}` }
  try {
    while (child.exitCode === null) {
      const isUp = await fetch(`http://127.0.0.1:${port}/v2/posts`, { headers })
        .then(async (response) => (await response.text()) && response.ok)
        .catch(() => false)
      if (isUp) return { time: performance.now() - started, cpu: getCpuSeconds(child.pid) * 1_000 }
      await Bun.sleep(1)
    }
    throw new Error(`The server ended with ${child.exitCode}.`)
  } finally {
    await stopProcess(child)
  }
}
