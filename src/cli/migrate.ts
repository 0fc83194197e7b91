import { migrate as migrateDatabase } from '../store/migrate'
import type { Command } from './command'
import { openProgress } from './progress'
import { withParley } from './workshop'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the database to this version. The server does so at every start.',
  options: {},
  async run() {
    const done = await withParley((parley) => migrateDatabase(parley.engine, parley.clock(), openProgress))
    console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'The database is up to date.')
  },
}
