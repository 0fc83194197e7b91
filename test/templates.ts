import { createMigratedDatabase, deadMailServer, startTestServer, type Templates } from './server'
import { createWorld } from './world'

/** `bun test/templates.ts FILE`: makes the databases that tests start from, and writes to the file where they are. */
const [file] = process.argv.slice(2)
/** More than most files use; others are created when they are asked for. */
const WORLDS = 40

const worlds: Templates['worlds'] = { database: await createMigratedDatabase(), worlds: [] }
const server = await startTestServer({ ...deadMailServer, DATABASE_URL: worlds.database })
await server.notifications()!.close()
for (let count = 0; count < WORLDS; count++) worlds.worlds.push(await createWorld(server))
await server.inboxFiller()!.tick()
await server.stop()
await Bun.write(file!, JSON.stringify({ empty: await createMigratedDatabase(), worlds } satisfies Templates))
process.exit(0)
