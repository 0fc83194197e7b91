import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config'
import { openStorage } from '../files/open'
import { makeBackup } from '../setup/backup'
import { verifyBackup } from '../store/backup/checksums'
import { type BackupFacts, inspectBackup } from '../store/backup/file'
import { StartError } from '../store/engines/start-error'
import type { Command } from './command'
import { withExistingEngine } from './database'
import { explainFiles } from './files'
import { openProgress } from './progress'
import { sizeAndTime } from './size-and-time'

export const backup: Command = {
  name: 'backup',
  summary: 'Back up everything to one file, while the server runs.',
  details: `The file holds a consistent copy of the database, on either engine, all uploaded files, and the secret key if that is in a
file next to the database, with checksums of everything. Keep it as safe as the database. \`parley restore FILE\` restores it, on either
engine; \`parley backup verify FILE\` checks whether it is undamaged. An existing file is only replaced with --force, and a backup that fails
leaves no incomplete file behind.`,
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
          storage: isWithoutFiles ? undefined : openStorage(config),
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

export const backupVerify: Command = {
  name: 'backup verify',
  summary: 'Check that a backup is undamaged, without restoring it.',
  details: `Reads the whole file, and compares the database and every uploaded file in it with their checksums. The exit code is 0 only if
everything is as it was written; otherwise the message says what is damaged. Needs no settings and no database. A backup of an older
Parley has no checksums, and cannot be verified.`,
  positional: '<file>',
  options: {},
  async run({ positionals }) {
    const file = resolve(positionals[0]!)
    const started = performance.now()
    const { hasChecksums, broken, facts } = await explainFiles(async () => ({
      ...(await verifyBackup(file, openProgress)),
      facts: inspectBackup(file),
    }))
    if (!hasChecksums) throw new StartError(`${file} cannot be verified: ${explainUnverified(facts)}`)
    console.log(`Verified ${file}: ${sizeAndTime(statSync(file).size, started)}. It is undamaged.`)
    console.log(describe(facts))
    if (broken > 0)
      console.log(
        `Uploaded files that were already damaged when the backup was made, and cannot be restored: ${broken}.`,
      )
  },
}

function describe({ info, hasFiles }: BackupFacts): string {
  const { created_at, parley_version, engine, secret_key } = info!
  const content = ['the database', ...(hasFiles ? ['uploaded files'] : []), ...(secret_key ? ['the secret key'] : [])]
  const from = { sqlite: 'SQLite', postgres: 'PostgreSQL' }[engine]
  return `Made at ${new Date(created_at).toISOString()} by Parley ${parley_version} on ${from}. It contains: ${content.join(', ')}.`
}

/** Why it cannot be said whether a backup is damaged. */
export const explainUnverified = ({ info }: BackupFacts) =>
  info
    ? `it was made by Parley ${info.parley_version}, which wrote backups without checksums. It can be read, but damage may go unnoticed.`
    : 'it is a copy of a database, which has no checksums. It can be read, but damage may go unnoticed.'
