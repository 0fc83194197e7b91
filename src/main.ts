import { backup } from './cli/backup'
import { type Command, columns, runCommand, UsageError } from './cli/command'
import { doctor } from './cli/doctor'
import { health } from './cli/health'
import { keyReset } from './cli/key'
import { memberAdd, memberLink } from './cli/member'
import { migrate } from './cli/migrate'
import { openapi } from './cli/openapi'
import { restore } from './cli/restore'
import { seed } from './cli/seed'
import { serve } from './cli/serve'
import { tokenCreate, tokenList, tokenRevoke } from './cli/token'
import { workspaceCreate, workspaceList } from './cli/workspace'
import { Problem } from './contract/errors'
import { DAMAGE_ADVICE, DatabaseDamaged } from './store/engines/damage'
import { StartError } from './store/engines/start-error'
import { version } from './version'

const commands: Command[] = [
  serve,
  workspaceCreate,
  workspaceList,
  memberAdd,
  memberLink,
  tokenCreate,
  tokenList,
  tokenRevoke,
  seed,
  backup,
  restore,
  doctor,
  keyReset,
  migrate,
  health,
  openapi,
]

const overview = () =>
  [
    `Parley ${version}: a team workspace on your own machine.`,
    '',
    'Usage: parley <command> [options]',
    '',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    '`parley <command> --help` tells more.',
  ].join('\n')

async function main(args: string[]): Promise<void> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0]!)) return void console.log(overview())
  if (['version', '--version', '-v'].includes(args[0]!)) return void console.log(version)
  const command = commands.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '))
  if (!command) throw new UsageError(`There is no command “${args.slice(0, 2).join(' ')}”.`)
  await runCommand(command, args.slice(command.name.split(' ').length))
}

/** What went wrong, in a line each; only a bug shows where in the program it is. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`parley: ${error.message}\nparley --help lists the commands, parley <command> --help their options.`)
    return 2
  }
  if (error instanceof StartError) console.error(error.message.replace(/^/gm, 'parley: '))
  else if (error instanceof DatabaseDamaged)
    console.error(`parley: The database is damaged (${(error.cause as Error).message}). ${DAMAGE_ADVICE}`)
  else if (error instanceof Problem) console.error(`parley: ${error.detail}`)
  else console.error('parley: this is a bug.', error)
  return 1
}

await main(process.argv.slice(2)).catch((error) => process.exit(explain(error)))
