import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config'
import { StartError } from '../domain/start-error'
import { openStorage } from '../files/open'
import { makeBackup } from '../operations/backup'
import { verifyBackup } from '../store/backup/checksums'
import { type BackupFacts, inspectBackup } from '../store/backup/file'
import { type Command, report } from './command'
import { withExistingEngine } from './database'
import { explainFiles } from './files'
import { openProgress, secondsSince, sizeAndTime } from './output'

const json = { type: 'boolean', help: 'Print one JSON object instead of text.' } as const

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
    json,
  },
  run({ positionals, flags }) {
    const file = resolve(positionals[0]!)
    return report({
      isJson: flags.has('json'),
      failed: {
        ...{ file, is_complete: false, bytes: null, seconds: null },
        ...{ contains_files: null, contains_secret_key: null, lost_files_count: null, error: null },
      },
      work: () => write(file, flags.has('force'), flags.has('without-files')),
      print: ({ bytes, seconds }) => console.log(`Wrote ${file}: ${sizeAndTime(bytes, seconds)}.`),
    })
  },
}

/** Writes the backup. What the operator should know about it goes to stderr. */
async function write(file: string, isForced: boolean, isWithoutFiles: boolean) {
  const config = readConfig(process.env)
  const started = performance.now()
  const { bytes, holdsKey, missing, damaged } = await explainFiles(() =>
    withExistingEngine(config, (engine) =>
      makeBackup(engine, {
        file,
        settings: config,
        isForced,
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
  return {
    is_complete: true,
    bytes,
    seconds: secondsSince(started),
    contains_files: !isWithoutFiles,
    contains_secret_key: holdsKey,
    lost_files_count: missing + damaged,
  }
}

export const backupVerify: Command = {
  name: 'backup verify',
  summary: 'Check that a backup is undamaged, without restoring it.',
  details: `Reads the whole file, and compares the database and every uploaded file in it with their checksums. The exit code is 0 only if
everything is as it was written; otherwise the message says what is damaged. Needs no settings and no database. A backup of an older
Parley has no checksums, and cannot be verified.`,
  positional: '<file>',
  options: { json },
  run({ positionals, flags }) {
    const file = resolve(positionals[0]!)
    return report({
      isJson: flags.has('json'),
      failed: {
        ...{
          file,
          is_undamaged: false,
          bytes: null,
          seconds: null,
          created_at: null,
          parley_version: null,
          engine: null,
        },
        ...{ contains_files: null, contains_secret_key: null, lost_files_count: null, error: null },
      },
      work: () => verify(file),
      print(result) {
        const { bytes, seconds, lost_files_count } = result
        console.log(`Verified ${file}: ${sizeAndTime(bytes, seconds)}. It is undamaged.`)
        console.log(describe(result))
        if (lost_files_count > 0)
          console.log(
            `Uploaded files that were already damaged when the backup was made, and cannot be restored: ${lost_files_count}.`,
          )
      },
    })
  },
}

type Verified = Awaited<ReturnType<typeof verify>>

async function verify(file: string) {
  const started = performance.now()
  const { hasChecksums, broken, facts } = await explainFiles(async () => ({
    ...(await verifyBackup(file, openProgress)),
    facts: inspectBackup(file),
  }))
  if (!hasChecksums) throw new StartError(`${file} cannot be verified: ${explainUnverified(facts)}`)
  const { created_at, parley_version, engine, secret_key } = facts.info!
  return {
    is_undamaged: true,
    bytes: statSync(file).size,
    seconds: secondsSince(started),
    created_at: new Date(created_at).toISOString(),
    parley_version,
    engine,
    contains_files: facts.hasFiles,
    contains_secret_key: secret_key !== undefined,
    lost_files_count: broken,
  }
}

function describe({ created_at, parley_version, engine, contains_files, contains_secret_key }: Verified): string {
  const content = [
    'the database',
    ...(contains_files ? ['uploaded files'] : []),
    ...(contains_secret_key ? ['the secret key'] : []),
  ]
  const from = { sqlite: 'SQLite', postgres: 'PostgreSQL' }[engine]
  return `Made at ${created_at} by Parley ${parley_version} on ${from}. It contains: ${content.join(', ')}.`
}

/** Why it cannot be said whether a backup is damaged. */
export const explainUnverified = ({ info }: BackupFacts) =>
  info
    ? `it was made by Parley ${info.parley_version}, which wrote backups without checksums. It can be read, but damage may go unnoticed.`
    : 'it is a copy of a database, which has no checksums. It can be read, but damage may go unnoticed.'
