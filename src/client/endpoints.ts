import { contract } from '../contract'
import type { Operation } from '../contract/operation'

/**
 * What the client needs to know of an operation: its body, whether it returns a page or nothing at all, and whether there
 * is a Markdown source of what it returns.
 */
type Trait = 'json' | 'file' | 'page' | 'empty' | 'markdown'

/** Method, path and traits of an operation, as in `GET posts page`. The path is what follows `/v2/`. */
export type Endpoint = string

/**
 * The endpoints of all operations: a line for each noun, with verbs and endpoints, separated by commas. It is one text
 * because that compresses best. Evaluated as a macro while bundling, so that browsers do not load the schemas.
 */
export const listEndpoints = (): string =>
  Object.entries(contract)
    .map(([noun, verbs]) => [noun, ...Object.entries(verbs).flatMap(describeEndpoint)].join())
    .join('\n')

const describeEndpoint = ([verb, operation]: [string, Operation]): [string, Endpoint] => [
  verb,
  [operation.method, operation.path.replace('/v2/', ''), ...listTraits(operation)].join(' '),
]

function listTraits({ body, file, output, markdown }: Operation): Trait[] {
  const fields = (output as { properties?: object } | undefined)?.properties ?? {}
  const traits: Record<Trait, boolean> = {
    json: body !== undefined,
    file: file !== undefined,
    page: 'next_cursor' in fields,
    empty: output === undefined,
    markdown: markdown === true,
  }
  return (Object.keys(traits) as Trait[]).filter((trait) => traits[trait])
}
