import type { OpenProgress } from '../../src/store/engines/engine'
import { openEngine } from '../../src/store/open'
import { migrate } from '../../src/store/schema/migrations'

const [url, table] = process.argv.slice(2) as [string, string]
let tables = 0

/** Ends this process as kill -9 does, in the middle of the table with this number. */
const killed: OpenProgress = (_, total) => {
  const isLast = ++tables === Number(table)
  return {
    report(done) {
      if (isLast && done >= total / 2) process.kill(process.pid, 'SIGKILL')
    },
    end() {},
  }
}

const engine = openEngine(url)
await migrate(engine, Date.now(), killed)
await engine.close()
