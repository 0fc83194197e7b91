import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { secretFileNames } from '../config/environment'
import { settings } from '../config/settings'
import { Problem } from '../contract/errors'
import { StartError } from '../domain/start-error'
import { hideSecrets } from '../log'
import { DAMAGE_ADVICE, DatabaseDamaged } from '../store/engines/damage'

export interface Option extends ParseArgsOptionDescriptor {
  help: string
  /** The placeholder for the value in the help. */
  value?: string
  required?: boolean
}

export interface Command {
  name: string
  summary: string
  details?: string
  options: Record<string, Option>
  /** The argument after the options, such as `<id>`. */
  positional?: string
  run(given: Given): Promise<void>
}

/** The options that take a value, by name, and the flags. */
export interface Given {
  values: Readonly<Record<string, string | undefined>>
  flags: ReadonlySet<string>
  positionals: readonly string[]
}

/** Wrong use of the command line: printed with a hint at the help, exit code 2. */
export class UsageError extends Error {}

export async function runCommand(command: Command, args: string[]): Promise<void> {
  const given = parse(command, args)
  if (given.flags.has('help')) return void console.log(help(command))
  for (const [name, { required, value = '' }] of Object.entries(command.options))
    if (required && !given.values[name]) throw new UsageError(`${command.name} requires --${name} ${value}`.trim())
  const [first] = given.positionals
  if (command.positional && given.positionals.length !== 1)
    throw new UsageError(`${command.name} requires ${command.positional}.`)
  if (!command.positional && first) throw new UsageError(`Unexpected argument “${first}”.`)
  await command.run(given)
}

function parse(command: Command, args: string[]): Given {
  try {
    const options: Record<string, ParseArgsOptionDescriptor> = {
      ...command.options,
      help: { type: 'boolean', short: 'h' },
    }
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const entries = Object.entries(values)
    return {
      values: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')) as Record<string, string>,
      flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
      positionals,
    }
  } catch (error) {
    throw new UsageError(explainParsing((error as Error).message, Object.keys(command.options)))
  }
}

function explainParsing(message: string, options: readonly string[]): string {
  const [first] = message.split('. ') as [string]
  const unknown = first.match(/^Unknown option '--(.+)'$/)?.[1]
  const near = unknown && suggest(unknown, options)
  return near ? `${first}. Did you mean --${near}?` : first
}

export function help(command: Command): string {
  const rows = [
    ...Object.entries(command.options).map(([name, { value, help: text, required }]) => [
      `--${name}${value ? ` ${value}` : ''}`,
      text + (required ? ' Required.' : ''),
    ]),
    ['--help', 'Show this help.'],
  ]
  return [
    `parley ${command.name} — ${command.summary}`,
    '',
    `Usage: parley ${command.name}${command.positional ? ` ${command.positional}` : ''} [options]`,
    ...(command.details ? ['', command.details] : []),
    '',
    ...columns(rows),
  ].join('\n')
}

/** Aligns rows in two columns. */
export function columns(rows: readonly string[][]): string[] {
  const width = Math.max(...rows.map(([first]) => first!.length))
  return rows.map(([first, second]) => `  ${first!.padEnd(width)}   ${second}`)
}

/** A whole number in a range, or a usage error that says so. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not “${text}”.`)
}

/** The message for the operator; undefined for bugs. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof DatabaseDamaged)
    return `The database is damaged (${(error.cause as Error).message}). ${DAMAGE_ADVICE}`
  if (error instanceof Problem) return hideSecrets(error.detail)
  return error instanceof StartError || error instanceof UsageError ? hideSecrets(error.message) : undefined
}

export interface Report<Result> {
  isJson: boolean
  /** All fields of the JSON in their order, as they are after an error. */
  failed: object
  work(): Promise<Result>
  print(result: Result): void
}

/** Prints what the work returns: words, or with `--json` one object on stdout, also if the work fails. */
export async function report<Result extends object>({ isJson, failed, work, print }: Report<Result>): Promise<void> {
  const show = (json: object) => console.log(JSON.stringify(json, null, 2))
  try {
    const result = await work()
    if (isJson) show({ ...failed, ...result })
    else print(result)
  } catch (error) {
    const message = messageOf(error)
    if (isJson && message) show({ ...failed, error: message })
    throw error
  }
}

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

/** The candidate that a word is probably a misspelling of, if any. */
export function suggest(
  word: string,
  candidates: readonly string[],
  maxDistance = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= maxDistance ? best.candidate : undefined
}

/** Damerau–Levenshtein distance. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, at) => [at, ...new Array<number>(b.length).fill(0)])
  rows[0] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]![j] = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        replaced,
        isSwapped ? rows[i - 2]![j - 2]! + 1 : replaced,
      )
    }
  return rows[a.length]![b.length]!
}

export const settingsHelp = (): string =>
  [
    'Settings are environment variables:',
    ...columns(
      Object.entries(settings).map(([name, { help, fallback }]) => [
        name,
        fallback ? `${help} Default: ${fallback}` : help,
      ]),
    ),
    '',
    'A secret can be in a file. Set one of these variables to its path instead:',
    ...secretFileNames.map((name) => `  ${name}`),
  ].join('\n')
