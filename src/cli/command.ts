import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { Problem } from '../contract/errors'
import { hideSecrets } from '../log'
import { DAMAGE_ADVICE, DatabaseDamaged } from '../store/engines/damage'
import { StartError } from '../store/engines/start-error'
import { suggest } from './suggest'

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

/** The options with a value, by name, and those without. */
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

/** What an error says to the operator; undefined for bugs. */
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
