import { resolve } from 'node:path'
import { readConfig } from '../config'
import { openStorage } from '../files/open'
import { makeBackup } from '../setup/backup'
import type { Command } from './command'
import { withExistingEngine } from './database'
import { explainFiles } from './files'
import { openProgress } from './progress'
import { sizeAndTime } from './size-and-time'

export const backup: Command = {
  name: 'backup',
  summary: 'Back up everything to one file, while the server runs.',
  details: `The file holds a consistent copy of the database, on either engine, all uploaded files, and the secret key if that is in a
file next to the database. Keep it as safe as the database. \`parley restore FILE\` restores it, on either engine. An existing file is
only replaced with --force, and a backup that fails leaves no incomplete file behind.`,
  positional: '<file>',
  options: {
    force: { type: 'boolean', help: 'Replace an existing file.' },
    'without-files': {
      type: 'boolean',
      help: 'Leave out uploaded files, for example if you back up FILES_URL in another way.',
    },
  },
  async run({ positionals, flags }) {
    const config = readConfig(process.env)
    const file = resolve(positionals[0]!)
    const started = performance.now()
    const isWithoutFiles = flags.has('without-files')
    const { bytes, holdsKey, missing, damaged } = await explainFiles(() =>
      withExistingEngine(config, (engine) =>
        makeBackup(engine, {
          file,
          settings: config,
          isForced: flags.has('force'),
          storage: isWithoutFiles ? undefined : openStorage(config.filesUrl),
          openProgress,
        }),
      ),
    )
    if (config.secretKey)
      console.error('The backup does not contain the secret key, which is set by SECRET_KEY. Back that up separately.')
    else if (holdsKey) console.error('The backup contains the secret key. Keep it as safe as the database.')
    if (isWithoutFiles)
      console.error(`The backup does not contain uploaded files. Now back up ${config.filesUrl} separately.`)
    if (missing + damaged > 0)
      console.error(
        `Uploaded files that this backup cannot restore, because they are missing or damaged in ${config.filesUrl}: ${missing + damaged}. \`parley doctor --files\` lists them.`,
      )
    console.log(`Wrote ${file}: ${sizeAndTime(bytes, started)}.`)
  },
}
