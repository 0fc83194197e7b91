import { contract } from '../contract'
import type { Operation } from '../contract/operation'

/**
 * What the client needs to know of an operation: whether its body is JSON or a file with a name, whether it returns a page, the
 * content of a file or nothing at all, and whether there is a Markdown source of what it returns.
 */
type Trait = 'json' | 'upload' | 'page' | 'empty' | 'content' | 'markdown'

/** Method, path and traits of an operation, as in `GET posts page`. The path is what follows `/v2/`; in the list, `~` is the noun. */
export type Endpoint = string

/**
 * The endpoints of all operations: a line for each noun, with verbs and endpoints, separated by commas. It is one text
 * because that compresses best. Evaluated as a macro while bundling, so that browsers do not load the schemas.
 */
export const listEndpoints = (): string =>
  Object.entries(contract)
    .map(([noun, verbs]) =>
      [noun, ...Object.entries(verbs).flatMap(([verb, each]) => [verb, describeEndpoint(noun, each)])].join(),
    )
    .join('\n')

const describeEndpoint = (noun: string, operation: Operation): Endpoint =>
  [
    operation.method,
    operation.path.replace('/v2/', '').replace(new RegExp(`^${noun}(?=/|$)`), '~'),
    ...listTraits(operation),
  ].join(' ')

function listTraits({ body, upload, download, output, markdown }: Operation): Trait[] {
  const fields = (output as { properties?: object } | undefined)?.properties ?? {}
  const traits: Record<Trait, boolean> = {
    json: body !== undefined,
    upload: upload === true,
    page: 'next_cursor' in fields,
    empty: output === undefined && !download,
    content: download === true,
    markdown: markdown === true,
  }
  return (Object.keys(traits) as Trait[]).filter((trait) => traits[trait])
}
