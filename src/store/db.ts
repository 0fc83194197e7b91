import { type Compilable, type CompiledQuery, type Dialect, Kysely } from 'kysely'
import type { Flavour } from './engines/flavour'
import type { Tables } from './schema'

export type Value = string | number | null

/** What an engine does for one connection. */
export interface Wire {
  /** In a transaction statements run in the order of the calls, also where one is not awaited before the next. */
  execute(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[]; changes: number }>
  /**
   * As `execute`, without waiting for the result. A failure fails the transaction. Missing where waiting costs nothing.
   */
  send?(sql: string, values: readonly unknown[]): Promise<unknown> | undefined
}

/** A place in a prepared statement that gets its value when it runs. */
class Slot {
  constructor(readonly name: string) {}
}

export type SlotFor = <T extends Value>(name: string) => T
const slotFor = ((name: string) => new Slot(name)) as unknown as SlotFor

/** A place for each of several values, such as keys, named by their number. */
export const slotsFor = (values: readonly unknown[], slot: SlotFor) => values.map((_, at) => slot<number>(String(at)))

/** The statements of an engine that were built once and run many times, by their shape. */
export type Statements = Map<string, Statement>
interface Statement {
  sql: string
  parameters: readonly unknown[]
  hasRows: boolean
}

/**
 * The database, as Kysely with one thing added: statements that are compiled once. Building a large query
 * costs more than running it, so the lists on the hot path are `prepared`.
 */
export class Db extends Kysely<Tables> {
  constructor(
    readonly wire: Wire,
    readonly flavour: Flavour,
    private readonly statements: Statements,
    dialect: Dialect,
  ) {
    super({ dialect })
  }

  async prepared<Row>(
    shape: string,
    build: (slot: SlotFor) => Compilable<Row>,
    values: Readonly<Record<string, unknown>>,
  ): Promise<Row[]> {
    const { sql, parameters, hasRows } = this.statements.get(shape) ?? this.remember(shape, build(slotFor).compile())
    const bound = parameters.map((parameter) => (parameter instanceof Slot ? values[parameter.name] : parameter))
    if (hasRows || !this.wire.send) return (await this.wire.execute(sql, bound)).rows as Row[]
    await this.wire.send(sql, bound)
    return []
  }

  private remember(shape: string, { sql, parameters, query }: CompiledQuery): Statement {
    const statement = { sql, parameters, hasRows: query.kind === 'SelectQueryNode' || 'returning' in query }
    this.statements.set(shape, statement)
    return statement
  }
}

/** What reads may use: everything but what writes. A `Writer` can do both. */
export type Writer = Db
export type Reader = Pick<Db, 'selectFrom' | 'selectNoFrom' | 'prepared' | 'fn' | 'dynamic' | 'flavour'>
