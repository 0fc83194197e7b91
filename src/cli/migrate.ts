import { migrate as migrateDatabase } from '../store/migrate'
import type { Command } from './command'
import { withParley } from './open-parley'
import { openProgress } from './progress'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate the database to this version. The server also does this when it starts.',
  options: {},
  async run() {
    const done = await withParley((parley) => migrateDatabase(parley.engine, parley.clock(), openProgress))
    console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'The database is up to date.')
  },
}
