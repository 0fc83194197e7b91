import { backup, backupVerify } from './cli/backup'
import { type Command, columns, findCommand, messageOf, runCommand, UsageError } from './cli/command'
import { doctor } from './cli/doctor'
import { keyReset } from './cli/key'
import { mailTest } from './cli/mail'
import { health, migrate, openapi, reindex } from './cli/maintenance'
import {
  memberAdd,
  memberDeactivate,
  memberLink,
  memberList,
  memberReactivate,
  memberRole,
  passwordRemove,
} from './cli/members'
import { restore } from './cli/restore'
import { seed } from './cli/seed'
import { serve } from './cli/serve'
import { tokenCreate, tokenList, tokenRevoke } from './cli/token'
import { workspaceCreate, workspaceList } from './cli/workspace'
import { build } from './version'

const commands: Command[] = [
  serve,
  workspaceCreate,
  workspaceList,
  memberAdd,
  memberLink,
  memberList,
  memberRole,
  memberDeactivate,
  memberReactivate,
  passwordRemove,
  tokenCreate,
  tokenList,
  tokenRevoke,
  seed,
  backup,
  backupVerify,
  restore,
  doctor,
  mailTest,
  reindex,
  keyReset,
  migrate,
  health,
  openapi,
]

const overview = () =>
  [
    `Parley ${build}: a self-hosted team workspace.`,
    '',
    'Usage: parley <command> [options]',
    '',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    '`parley <command> --help` shows the options.',
  ].join('\n')

const LEAVE_MS = 1_000

async function main(args: string[]): Promise<void> {
  if (args[0] === 'help' && args.length > 1) return main([...args.slice(1), '--help'])
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0]!)) return void console.log(overview())
  if (['version', '--version', '-v'].includes(args[0]!)) return void console.log(build)
  const command = findCommand(commands, args)
  if (typeof command === 'string') return void console.log(command)
  await runCommand(command, args.slice(command.name.split(' ').length))
  // A connection that hangs, such as one to S3, must not keep a command running that is done.
  if (command !== serve) setTimeout(() => process.exit(), LEAVE_MS).unref()
}

/** Prints an error and returns the exit code. Only bugs are printed with a stack trace. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(
      `parley: ${messageOf(error)}\nSee \`parley --help\` for the commands and \`parley <command> --help\` for their options.`,
    )
    return 2
  }
  const message = messageOf(error)
  if (message) console.error(message.replace(/^/gm, 'parley: '))
  else console.error('parley: this is a bug.', error)
  return 1
}

main(process.argv.slice(2)).catch((error) => process.exit(explain(error)))
