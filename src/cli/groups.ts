import { type Command, columns, UsageError } from './command'
import { suggest } from './suggest'

const isHelp = (word: string | undefined) => word === undefined || ['help', '--help', '-h'].includes(word)

/** The command that these arguments begin with, or the help of a group of commands. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command | string {
  // `backup verify` is a command, and so is `backup`.
  const command = commands
    .toSorted((one, other) => other.name.length - one.name.length)
    .find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
  if (command) return command

  const [first, second] = words as [string, string?]
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length === 0) {
    const near = suggest(
      first,
      commands.map(({ name }) => name.split(' ')[0]!),
    )
    throw unknown(first, near && `Did you mean “${near}”?`)
  }
  if (isHelp(second)) return groupHelp(first, group)

  const verbs = group.map(({ name }) => lastWord(name))
  const near = suggest(second!, verbs)
  const others = `${first} has these commands: ${verbs.join(', ')}.`
  throw unknown(`${first} ${second}`, near ? `Did you mean “${first} ${near}”?` : others)
}

const unknown = (words: string, hint = '') => new UsageError(`Unknown command “${words}”. ${hint}`.trim())

const groupHelp = (first: string, group: readonly Command[]) =>
  [
    `Usage: parley ${first} <command> [options]`,
    '',
    ...columns(group.map(({ name, summary }) => [lastWord(name), summary])),
    '',
    `\`parley ${first} <command> --help\` shows the options.`,
  ].join('\n')

const lastWord = (name: string) => name.split(' ').at(-1)!
