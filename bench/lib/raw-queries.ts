import { Pool } from 'pg'

/** The yardstick of PostgreSQL: the queries of so many pages, over and over, by `pg` with nothing around it. */
export interface Statement {
  text: string
  values: unknown[]
}

const [file, seconds, connections, poolSize] = process.argv.slice(2)
const pages: Statement[][] = await Bun.file(file!).json()
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: Number(poolSize) })
const names = new Map<string, string>()
const nameOf = (text: string) => names.getOrInsertComputed(text, () => `raw-${names.size}`)

let next = 0
let done = 0
async function run(until: number) {
  while (performance.now() < until) {
    for (const { text, values } of pages[next++ % pages.length]!) await pool.query({ name: nameOf(text), text, values })
    done += 1
  }
}

const runAll = (time: number) =>
  Promise.all(Array.from({ length: Number(connections) }, () => run(performance.now() + time * 1000)))

await runAll(1)
done = 0
const before = process.cpuUsage()
await runAll(Number(seconds))
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ rate: done / Number(seconds), cost: (user + system) / done }))
await pool.end()
