import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Wire } from './db'

/** Kysely over one open connection. Transactions are the engine's business, not Kysely's. */
function dialectOver(wire: Wire, parts: Omit<Dialect, 'createDriver'>): Dialect {
  const kyselyConnection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await wire.execute(sql, parameters)
      return { rows: rows as R[], numAffectedRows: BigInt(changes) }
    },
    // biome-ignore lint/correctness/useYield: nothing here streams
    async *streamQuery() {
      throw new Error('Streaming is not used.')
    },
  }
  const notHere = async () => {
    throw new Error('Transactions begin at engine.write().')
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => kyselyConnection,
    releaseConnection: async () => {},
    beginTransaction: notHere,
    commitTransaction: notHere,
    rollbackTransaction: notHere,
    destroy: async () => {},
  }
  return { ...parts, createDriver: () => driver }
}

/** Writes limits out: SQLite compiles a statement again each time another value is bound to its limit. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode) {
    const { value } = node.limit as { value?: unknown }
    if (typeof value === 'number') this.append(`limit ${value}`)
    else super.visitLimit(node)
  }
}

export const sqliteDialect = (wire: Wire): Dialect =>
  dialectOver(wire, {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteCompiler(),
  })

export const postgresDialect = (wire: Wire): Dialect =>
  dialectOver(wire, {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  })
