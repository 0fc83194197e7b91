// Runs in a process of its own, see sqlite-process.ts: a read-only connection that runs one statement after the other.
const { Database } = require('bun:sqlite')
const { setPriority } = require('node:os')

// Where there are few cores, the server itself goes first.
setPriority(5)

const MAX_STATEMENTS = 200
const prepared = new Map()
let database

function open({ path, setup }) {
  database = new Database(path, { readonly: true })
  for (const sql of setup) database.run(sql)
}

function prepare(sql) {
  const known = prepared.get(sql)
  if (known) return known
  if (prepared.size >= MAX_STATEMENTS) {
    for (const statement of prepared.values()) statement.finalize()
    prepared.clear()
  }
  const statement = database.prepare(sql)
  prepared.set(sql, statement)
  return statement
}

const PART_LENGTH = 256 * 1024

/**
 * As JSON, which is read several times as fast as many small objects. Many rows, or long ones, are sent in parts before the reply,
 * which has the rest: the server would take a tenth of a second to receive a page of long texts at once.
 */
function execute({ sql, values }) {
  const statement = prepare(sql)
  if (statement.columnNames.length === 0) {
    statement.run(...values)
    return '[]'
  }
  let part = []
  let length = 0
  for (const row of statement.all(...values)) {
    const json = JSON.stringify(row)
    part.push(json)
    length += json.length
    if (length < PART_LENGTH) continue
    process.send({ part: `[${part.join()}]` })
    part = []
    length = 0
  }
  return `[${part.join()}]`
}

process.on('message', (message) => {
  try {
    if (message.path) open(message)
    process.send({ rows: message.sql ? execute(message) : '[]' })
  } catch ({ code, message: text }) {
    process.send({ error: { code, message: text } })
  }
})
// A signal to all processes of a terminal or a service is for the server, which finishes its requests first.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
// The server is gone.
process.on('disconnect', () => process.exit())

// In the middle of a statement nothing else runs in this thread. One of its own ends the process if the server was killed.
const watch = `const server = ${process.ppid}
setInterval(() => process.ppid === server || process.kill(process.pid, 'SIGKILL'), 500)`
new Worker(URL.createObjectURL(new Blob([watch])), { smol: true, ref: false })
