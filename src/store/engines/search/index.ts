import type { SqlSyntax } from '../syntax'
import { postgresSearchIndex } from './postgres'
import type { SearchIndex } from './search-index'
import { sqliteSearchIndex } from './sqlite'

/** The full-text index of a database. */
export const searchIndexOf = ({ syntax }: { syntax: SqlSyntax }): SearchIndex =>
  syntax.kind === 'sqlite' ? sqliteSearchIndex : postgresSearchIndex
