import { type RawBuilder, sql } from 'kysely'
import type { Author, AvatarUrls } from '../../contract/shapes'
import { avatarSizes } from '../../domain/avatar'
import type { SqlSyntax } from '../engines/syntax'

type Part = string | RawBuilder<unknown>

/** SQL that writes a value of type `T` as JSON: pieces of JSON, and expressions that are JSON. */
export interface Json<T> {
  readonly parts: readonly Part[]
  /** Only for the compiler: an object that lacks a member, or has one of another type, does not compile. */
  readonly value?: T
}

/** The text of a column that JSON does not escape anything in: an id, a time, one of a few words. */
export const plain = <T extends string = string>(column: string): Json<T> => ({ parts: ['"', sql.ref(column), '"'] })

export const number = (column: string): Json<number> => ({ parts: [sql.ref(column)] })

export const boolean = (column: string): Json<boolean> => ({
  parts: [sql`CASE ${sql.ref(column)} WHEN 0 THEN 'false' ELSE 'true' END`],
})

export const literal = <const T extends string | null>(value: T): Json<T> => ({ parts: [JSON.stringify(value)] })

/** Any text. */
export const text = ({ quoteJson }: SqlSyntax, column: string): Json<string> => ({
  parts: [sql.raw(quoteJson(column))],
})

export const optionalText = ({ quoteJson }: SqlSyntax, column: string): Json<string | null> => ({
  parts: [sql`coalesce(${sql.raw(quoteJson(column))}, 'null')`],
})

/** A column of milliseconds. It takes long: records that are read often have the time as text in another column. */
export const time = ({ isoTime }: SqlSyntax, column: string): Json<string> => ({
  parts: ['"', sql.raw(isoTime(column)), '"'],
})

/** `null`, unless a condition holds. */
export const when = <T>(condition: RawBuilder<unknown>, json: Json<T>): Json<T | null> => ({
  parts: [sql`CASE WHEN ${condition} THEN ${toSql(json)} ELSE 'null' END`],
})

/** From another row: `from` is a FROM clause with its conditions. */
export const select = <T>(json: Json<T>, from: RawBuilder<unknown>): Json<T> => ({
  parts: [sql`(SELECT ${toSql(json)} FROM ${from})`],
})

/** Its members in this order. */
export const object = <T extends object>(members: { [Name in keyof T]-?: Json<T[Name]> }): Json<T> => ({
  parts: [
    ...Object.entries<Json<unknown>>(members).flatMap(([name, { parts }], at) => [
      `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`,
      ...parts,
    ]),
    '}',
  ],
})

/** The address of something on this server, with an id or the name of a file at its end. */
export const url = (base: string, path: string, column: string): Json<string> => ({
  parts: [`"${JSON.stringify(base).slice(1, -1)}${path}`, sql.ref(column), '"'],
})

/** The six addresses of the avatar of an author. */
export const avatarUrls = (base: string, author: string): Json<AvatarUrls> =>
  object(
    Object.fromEntries(
      Object.entries(avatarSizes).map(([name, size]) => [name, url(base, `/avatars/${size}/`, `${author}.avatar`)]),
    ) as { [Name in keyof AvatarUrls]: Json<string> },
  )

/** An author, from the table `authors` under this name. */
export const author = (syntax: SqlSyntax, base: string, name: string): Json<Author> =>
  object<Author>({
    avatar_urls: avatarUrls(base, name),
    name: text(syntax, `${name}.name`),
    id: plain(`${name}.id`),
    type: plain(`${name}.type`),
  })

/** Pieces of text that follow each other become one. */
export function toSql({ parts }: Json<unknown>): RawBuilder<string> {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  const [only] = merged
  if (merged.length === 1 && only !== undefined && typeof only !== 'string') return only as RawBuilder<string>
  return sql`concat(${sql.join(merged.map((part) => (typeof part === 'string' ? sql.lit(part) : part)))})`
}

/** An author as rows carry them: id, type, file of the avatar and name. See `toAuthor` in domain/links.ts. */
export const storedAuthor = (name: string): RawBuilder<string> =>
  sql`concat(${sql.ref(`${name}.id`)}, ' ', ${sql.ref(`${name}.type`)}, ' ', ${sql.ref(`${name}.avatar`)}, ' ', ${sql.ref(`${name}.name`)})`

/** The same for a left join: null where there is no such author. */
export const optionalStoredAuthor = (name: string): RawBuilder<string | null> =>
  sql`CASE WHEN ${sql.ref(`${name}.key`)} IS NULL THEN NULL ELSE ${storedAuthor(name)} END`

/** Between authors that one column carries. No name contains a control character. */
export const AUTHOR_SEPARATOR = '\u001f'
