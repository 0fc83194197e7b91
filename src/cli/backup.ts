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
  summary: 'Back up everything to one file, while the server runs.',
  details: `The file holds a consistent copy of the database, on either engine, and the secret key if that is in a file next to
the database. Keep it as safe as the database. \`parley restore FILE\` restores it, on either engine. An existing file is
only replaced with --force, and a backup that fails leaves no incomplete file behind.`,
  positional: '<file>',
  options: { force: { type: 'boolean', help: 'Replace an existing file.' } },
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
      console.error('The backup does not contain the secret key, which is set by SECRET_KEY. Back that up separately.')
    else if (holdsKey) console.error('The backup contains the secret key. Keep it as safe as the database.')
    console.log(`Wrote ${file}: ${sizeAndTime(bytes, started)}.`)
  },
}
