import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config'
import { openStorage } from '../files/open'
import { type Restored, restoreBackup } from '../operations/restore'
import { explainUnverified } from './backup'
import type { Command } from './command'
import { explainFiles } from './files'
import { openProgress, secondsSince, sizeAndTime } from './output'

export const restore: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty database, or replace one with --force.',
  details: `Restores a file written by \`parley backup\` on either engine, or a copy of a SQLite database file, to the database in
DATABASE_URL. On SQLite, stop the server first; on PostgreSQL, servers may keep running and respond with 503 meanwhile. An
existing database is only replaced with --force, completely or not at all. The checksums of the backup are verified before anything
is changed; a backup of an older Parley has none, and is restored with a warning. Uploaded files in the backup are copied to FILES_URL
first; files that are already there are kept.`,
  positional: '<file>',
  options: {
    force: { type: 'boolean', help: 'Replace the existing database and secret key.' },
    'sign-out-everyone': {
      type: 'boolean',
      help: 'Invalidate all sessions, tokens, sign-in links and addresses of incoming webhooks in the backup.',
    },
    'key-file': {
      type: 'string',
      value: 'PATH',
      help: 'Where to write the secret key, if the backup contains one.',
    },
  },
  async run({ positionals, values, flags }) {
    const config = readConfig(process.env)
    const file = resolve(positionals[0]!)
    const isSigningOut = flags.has('sign-out-everyone')
    const started = performance.now()
    const restored = await explainFiles(() =>
      restoreBackup({
        file,
        settings: config,
        keyFile: values['key-file'] && resolve(values['key-file']),
        isForced: flags.has('force'),
        isSigningOut,
        storage: openStorage(config),
        openProgress,
      }),
    )
    if (!restored.verified.hasChecksums)
      console.error(`Warning: the backup could not be verified: ${explainUnverified(restored.facts)}`)
    console.log(`Restored ${file}: ${sizeAndTime(statSync(file).size, secondsSince(started))}.`)
    for (const note of [...notesOf(restored, isSigningOut), ...fileNotes(restored, config.filesUrl)]) console.log(note)
  },
}

/** What the operator should know after a restore. */
function notesOf({ facts, keyFile, isKeyRight }: Restored, isSigningOut: boolean): string[] {
  const time = new Date(facts.takenAt).toISOString()
  return [
    isSigningOut
      ? 'Everyone is signed out, and all tokens and addresses of incoming webhooks are invalid. Create new ones with `parley member link`, `parley token create` and in the settings.'
      : `Sessions, tokens and sign-in links that were revoked after ${time} work again, as do addresses of incoming webhooks that were replaced or deleted. To invalidate all of them, restore with --sign-out-everyone.`,
    'Webhook deliveries that were pending then are sent again, with the same event ids.',
    ...(keyFile ? [`The secret key is in ${keyFile}.`] : []),
    ...(isKeyRight ? [] : [keyNote(facts.info?.secret_key !== undefined && !keyFile)]),
  ]
}

function fileNotes({ facts, files: { stored, missing } }: Restored, filesUrl: string): string[] {
  const more = missing.count - missing.names.length
  return [
    ...(facts.hasFiles ? [`Uploaded files copied to ${filesUrl}: ${stored}.`] : []),
    ...(missing.count > 0
      ? [
          `Uploaded files missing in ${filesUrl}${facts.hasFiles ? '' : ', because the backup does not contain files'}: ${missing.count} (${missing.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}). Copy them there from the server that the backup was made on.`,
        ]
      : []),
  ]
}

const keyNote = (isInBackup: boolean) =>
  isInBackup
    ? 'The webhooks need the secret key in the backup: restore with --key-file PATH to extract it, and set SECRET_KEY to it.'
    : 'The webhooks need their original secret key: set SECRET_KEY to it, or restore the file secret.key.'
