import { readConfig } from '../../src/config'
import { startServer } from '../../src/server'

/** The real server, but with so many writes to a commit at most. */
const server = startServer(readConfig(process.env), { maxGroup: Number(process.argv[2]) || undefined })
await server.ready
console.log(server.url)
