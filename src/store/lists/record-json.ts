import { type RawBuilder, sql } from 'kysely'
import { avatarSizes } from '../../domain/avatar'

/** A piece of JSON: text as it is, or a column or an expression that holds JSON. */
export type JsonPart = string | RawBuilder<unknown>

/** Puts JSON together. Pieces of text that follow each other become one. */
export function concatJson(...parts: readonly JsonPart[]): RawBuilder<string> {
  const merged: JsonPart[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  return sql`concat(${sql.join(merged.map((part) => (typeof part === 'string' ? sql.lit(part) : part)))})`
}

/**
 * A JSON object. `storedFields` are columns that hold members of the object without its braces (`domain/record-fields.ts`);
 * `others` are the remaining members by name, so that one that is forgotten does not compile.
 */
export const objectJson = <Others>(
  storedFields: readonly RawBuilder<unknown>[],
  others: { [Name in keyof Others]-?: readonly JsonPart[] },
): JsonPart[] => [
  ...storedFields.flatMap((fields, index) => [index === 0 ? '{' : ',', fields]),
  ...Object.entries<readonly JsonPart[]>(others).flatMap(([name, json]) => [`,"${name}":`, ...json]),
  '}',
]

/** The start of addresses on this server, inside a JSON string. */
const inString = (base: string) => JSON.stringify(base).slice(1, -1)

/** The start of a JSON string that is an address on this server. */
export const urlStart = (base: string, path: string): string => `"${inString(base)}${path}`

/** The six addresses of the avatar of an author. */
export const avatarUrlsJson = (author: string, base: string): JsonPart[] => [
  '{',
  ...Object.entries(avatarSizes).flatMap(([name, size], at) => [
    `${at === 0 ? '' : ','}"${name}":${urlStart(base, `/avatars/${size}/`)}`,
    sql.ref(`${author}.avatar`),
    '"',
  ]),
  '}',
]

/** An author, from the table `authors` under this name. */
export const authorJson = (author: string, base: string): JsonPart[] => [
  '{"avatar_urls":',
  ...avatarUrlsJson(author, base),
  ',',
  sql.ref(`${author}.fields`),
  '}',
]

/** An author as rows carry them: name, id, type and avatar file. See `toAuthor` in domain/links.ts. */
export const storedAuthor = (author: string): RawBuilder<string> =>
  concatJson('{', sql.ref(`${author}.fields`), ',"avatar":"', sql.ref(`${author}.avatar`), '"}')

/** The same for a left join: null where there is no such author. */
export const optionalStoredAuthor = (author: string): RawBuilder<string | null> =>
  sql`CASE WHEN ${sql.ref(`${author}.key`)} IS NULL THEN NULL ELSE ${storedAuthor(author)} END`
