import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config'
import { type Restored, restoreBackup } from '../setup/restore'
import type { Command } from './command'
import { explainFiles } from './files'
import { openProgress } from './progress'
import { sizeAndTime } from './size-and-time'

export const restore: Command = {
  name: 'restore',
  summary: 'Bring back a backup, into an empty place or with --force.',
  details: `Takes what \`parley backup\` wrote, on either engine, or a copy of a SQLite database file. It goes to where
DATABASE_URL says. Stop the server first on SQLite; on PostgreSQL nodes may go on running, and answer 503 meanwhile. What
is there already is not replaced without --force, and then all of it or nothing.`,
  positional: '<file>',
  options: {
    force: { type: 'boolean', help: 'Replace the database, and the secret key, that are there.' },
    'sign-out-everyone': { type: 'boolean', help: 'End all sessions, tokens and sign-in links of the backup.' },
    'key-file': {
      type: 'string',
      value: 'PATH',
      help: 'Where to write the secret key of the backup, if it holds one.',
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
        openProgress,
      }),
    )
    console.log(`Restored ${file}: ${sizeAndTime(statSync(file).size, started)}.`)
    for (const note of notesOf(restored, isSigningOut)) console.log(note)
  },
}

/** What an operator should know now. */
function notesOf({ facts, keyFile, isKeyRight }: Restored, isSigningOut: boolean): string[] {
  const time = new Date(facts.takenAt).toISOString()
  return [
    isSigningOut
      ? 'Everyone is signed out, and every token has ended. `parley member link` and `parley token create` make new ones.'
      : `Sessions, tokens and sign-in links that were ended after ${time} work again; restore with --sign-out-everyone to end them all.`,
    'Webhook deliveries that were still due then are sent again, with the same event ids.',
    ...(keyFile ? [`The secret key is in ${keyFile}.`] : []),
    ...(isKeyRight ? [] : [keyNote(facts.info?.secret_key !== undefined && !keyFile)]),
  ]
}

const keyNote = (isInBackup: boolean) =>
  isInBackup
    ? 'The webhooks need the secret key that the backup holds: restore with --key-file PATH to get it, and set SECRET_KEY to it.'
    : 'The webhooks need the secret key that they were used with: set SECRET_KEY to it, or put secret.key back.'
