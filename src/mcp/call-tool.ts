import { Compile, type Validator } from 'typebox/compile'
import { Problem } from '../contract/errors'
import { describeErrors } from '../gate/input/errors'
import { namesOf, unknownNames } from '../gate/input/size'
import type { Parley } from '../gate/parley'
import type { AgentApi } from './agent-api'
import { memoize } from './memoize'
import { explain } from './problems'
import type { Tool } from './tool'
import { toolsFor } from './tools'

/** In the answer to a failed call, beside the text for the model: the code of the error. */
const CODE_KEY = 'parley/code'

const compile = memoize((tool: Tool): Validator => Compile(tool.input))

/** Does what a tool is for. Errors are results too: a model can act on them. */
export async function callTool(parley: Parley, api: AgentApi, tool: Tool, input: Record<string, unknown>) {
  try {
    checkInput(tool, input)
    const { text, data } = await tool.run(api, input)
    return { content: [{ type: 'text' as const, text }], structuredContent: data }
  } catch (error) {
    const { text, code } = explain(parley, error)
    return { content: [{ type: 'text' as const, text }], isError: true, _meta: { [CODE_KEY]: code } }
  }
}

function checkInput(tool: Tool, input: Record<string, unknown>) {
  const validator = compile(tool)
  const names = Object.keys(tool.input.properties)
  const unknown = unknownNames('body', namesOf(input), tool.input.properties, () => 'Unknown field.')
  // Only the known ones are validated: the validator would report each of the others, at length.
  const known = Object.fromEntries(
    names.filter((name) => Object.hasOwn(input, name)).map((name) => [name, input[name]]),
  )
  const wrong = [...unknown, ...(validator.Check(known) ? [] : describeErrors('body', validator.Errors(known)))]
  if (wrong.length === 0) return
  const texts = wrong.slice(0, MAX_ERRORS).map(({ name, message }) => (name ? `${name}: ${message}` : message))
  throw new Problem('invalid_input', `${texts.join(' ')} The arguments are: ${names.join(', ')}.`)
}

const MAX_ERRORS = 10

/** The list of tools as it is sent. */
export const describeTools = (api: Pick<AgentApi, 'viewer'>) => toolsFor(api).map(describeTool)

const describeTool = memoize((tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: publicSchema(tool.input),
  outputSchema: tool.output as { type: 'object' },
  annotations: {
    readOnlyHint: !tool.writes,
    ...(tool.writes && { destructiveHint: tool.writes === 'replaces' }),
    ...(tool.writes === 'replaces' && { idempotentHint: true }),
    openWorldHint: false,
  },
}))

/** Without the keywords that only the gate knows. */
const publicSchema = (schema: object): { type: 'object' } =>
  JSON.parse(JSON.stringify(schema, (name, value) => (name === 'emptyIsAbsent' ? undefined : value)))
