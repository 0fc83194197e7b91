import { resolve } from 'node:path'
import { readConfig } from '../config'
import { makeBackup } from '../setup/backup'
import type { Command } from './command'
import { withExistingEngine } from './database'
import { explainFiles } from './files'
import { openProgress } from './progress'
import { sizeAndTime } from './size-and-time'

export const backup: Command = {
  name: 'backup',
  summary: 'Write everything into one file, while the server runs.',
  details: `The file holds the database as of one moment, whichever engine it is on, and the secret key where that is in a
file beside the database. Keep it as safe as the database. \`parley restore FILE\` brings it back, on either engine. A file
that is there already is not replaced without --force; one that is not finished is never left under that name.`,
  positional: '<file>',
  options: { force: { type: 'boolean', help: 'Replace the file if it is there already.' } },
  async run({ positionals, flags }) {
    const config = readConfig(process.env)
    const file = resolve(positionals[0]!)
    const started = performance.now()
    const { bytes, holdsKey } = await explainFiles(() =>
      withExistingEngine(config, (engine) =>
        makeBackup(engine, { file, settings: config, isForced: flags.has('force'), openProgress }),
      ),
    )
    if (config.secretKey)
      console.error(
        'The secret key is not in the backup: it is the setting SECRET_KEY. Keep that too, in another place.',
      )
    else if (holdsKey) console.error('The backup holds the secret key. Keep it as safe as the database.')
    console.log(`Wrote ${file}: ${sizeAndTime(bytes, started)}.`)
  },
}
