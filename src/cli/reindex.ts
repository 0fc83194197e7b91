import { rebuildSearchIndex } from '../setup/search-build'
import type { Command } from './command'
import { withMigratedParley } from './open-parley'
import { grouped, openProgress } from './progress'

export const reindex: Command = {
  name: 'reindex',
  summary: 'Build the search index anew.',
  details: `Works while the server runs: what is written meanwhile is found at once, and searches say that they are
incomplete until all is indexed, from the newest record on. Run it if \`parley doctor\` reports that the index is wrong.`,
  options: {},
  async run() {
    const started = performance.now()
    const count = await withMigratedParley((parley) => rebuildSearchIndex(parley, openProgress))
    const seconds = (performance.now() - started) / 1_000
    console.log(`Indexed ${grouped(count)} records (${seconds.toFixed(1)} s).`)
  },
}
