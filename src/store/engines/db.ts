import { type CompiledQuery, type Dialect, Kysely, type SelectQueryBuilder } from 'kysely'
import type { Tables } from '../schema'
import type { SqlSyntax } from './syntax'

export type Value = string | number | boolean | null

/** One connection of an engine. */
export interface Wire {
  /** In a transaction statements run in the order of the calls, also where one is not awaited before the next. */
  execute(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[]; changes: number }>
  /**
   * As `execute`, without waiting for the result. A failure fails the transaction. Missing where waiting costs nothing.
   */
  send?(sql: string, values: readonly unknown[]): Promise<unknown> | undefined
}

/** A parameter of a prepared statement. It gets its value when the statement runs. */
class Param {
  constructor(readonly name: string) {}
}

export type ParamFor = <T extends Value>(name: string) => T
const paramFor = ((name: string) => new Param(name)) as unknown as ParamFor

/** Parameters for a number of values, such as keys. They are named 0, 1, 2 and so on. */
export const paramsFor = <T extends Value = number>(count: number, param: ParamFor): T[] =>
  Array.from({ length: count }, (_, at) => param<T>(String(at)))

/** Everything the text of a statement depends on. */
type Shape = readonly (string | number | boolean | readonly (string | readonly string[])[])[]
type Values = Readonly<Record<string | number, unknown>>

/** A query that can be compiled; a raw one needs to know for which database. */
export interface Buildable<Row> {
  compile(db: Db): CompiledQuery<Row>
}

type Build<S extends Shape, Row> = (
  db: Reader & Pick<Writer, 'insertInto' | 'updateTable' | 'deleteFrom'>,
  param: ParamFor,
  ...shape: S
) => Buildable<Row>

interface Compiled {
  sql: string
  parameters: readonly unknown[]
  returnsRows: boolean
  /** How often a test used it again. */
  uses: number
}

/** The compiled statements of an engine, by their build function and shape. */
export type Statements = Map<unknown, Map<string, Compiled>>

/** Most statements have a few shapes. One that depends on the number of channels of a viewer may have many. */
const MAX_VARIANTS = 500

/** Tests build a statement again and again, and fail where its text differs from the compiled one. */
const IS_CHECKED = process.env.NODE_ENV === 'test'
const FIRST_CHECKS = 3
const USES_PER_CHECK = 50

const isCheckDue = (known: Compiled) => IS_CHECKED && (known.uses++ < FIRST_CHECKS || known.uses % USES_PER_CHECK === 0)

/**
 * Defines a statement that is compiled once for each shape and run many times: building a large query costs more than
 * running it. `build` must depend on the shape alone, and not use anything of the request.
 */
export const prepare =
  <S extends Shape, Row>(build: Build<S, Row>) =>
  (db: Pick<Db, 'run'>, shape: S, values: Values): Promise<Row[]> =>
    db.run(build, shape, values)

/** A row that a prepared statement returns. */
export type RowOf<Statement extends (...args: never) => Promise<unknown[]>> = Awaited<ReturnType<Statement>>[number]

/** Kysely, with statements that are compiled once. */
export class Db extends Kysely<Tables> {
  constructor(
    readonly wire: Wire,
    readonly syntax: SqlSyntax,
    private readonly statements: Statements,
    dialect: Dialect,
  ) {
    super({ dialect })
  }

  /**
   * Runs a prepared statement. In a transaction on PostgreSQL, one that returns no rows is only sent: if it fails, that shows at
   * the commit, not here.
   */
  async run<S extends Shape, Row>(build: Build<S, Row>, shape: S, values: Values): Promise<Row[]> {
    const { sql, parameters, returnsRows } = this.compiled(build, shape)
    const bound = parameters.map((parameter) => (parameter instanceof Param ? values[parameter.name] : parameter))
    if (returnsRows || !this.wire.send) return (await this.wire.execute(sql, bound)).rows as Row[]
    await this.wire.send(sql, bound)
    return []
  }

  private compiled<S extends Shape, Row>(build: Build<S, Row>, shape: S): Compiled {
    const variants = this.statements.getOrInsertComputed(build, () => new Map<string, Compiled>())
    const name = shape.length === 0 ? '' : JSON.stringify(shape)
    const known = variants.get(name)
    if (known && !isCheckDue(known)) {
      // The least recently used comes first, and is dropped first.
      variants.delete(name)
      variants.set(name, known)
      return known
    }
    const compiled = toCompiled(build(this, paramFor, ...shape).compile(this))
    if (known && known.sql !== compiled.sql)
      throw new Error(`A statement depends on more than its shape ${name}: ${compiled.sql}`)
    if (known) return known
    if (variants.size >= MAX_VARIANTS) variants.delete(variants.keys().next().value!)
    variants.set(name, compiled)
    return compiled
  }
}

const WRITES = ['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']

const toCompiled = ({ sql, parameters, query }: CompiledQuery): Compiled => ({
  sql,
  parameters,
  returnsRows: !WRITES.includes(query.kind) || 'returning' in query,
  uses: 0,
})

/** A `Reader` can only read; a `Writer` can read and write. */
export type Writer = Db
export type Reader = Pick<Db, 'selectFrom' | 'selectNoFrom' | 'run' | 'fn' | 'dynamic' | 'syntax' | 'with'>

/** How many rows a query finds, which selects nothing yet. */
export const countRows = async <Database, Table extends keyof Database>(
  query: SelectQueryBuilder<Database, Table, object>,
): Promise<number> =>
  (
    await query
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .$castTo<{ count: number }>()
      .executeTakeFirstOrThrow()
  ).count
