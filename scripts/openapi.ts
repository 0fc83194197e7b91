import { openApi } from '../src/http/openapi'
import { version } from '../src/version'

/** The OpenAPI document without examples: they are in docs/examples.json, and would hide what else a commit changes. */
export const documentToCommit = () => withoutExamples(openApi(version), '')

function withoutExamples(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutExamples(each, name))
  if (typeof value !== 'object' || value === null) return value
  // The keys of `properties` are names of fields, and a field may have any name.
  const kept = Object.entries(value).filter(([key]) => name === 'properties' || !/^examples?$/.test(key))
  return Object.fromEntries(kept.map(([key, inside]) => [key, withoutExamples(inside, key)]))
}

/** `npm run openapi` writes it to docs/openapi.json. */
if (import.meta.main) console.log(JSON.stringify(documentToCommit(), null, 2))
