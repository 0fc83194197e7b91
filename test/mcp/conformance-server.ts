import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Json } from './agent'

/**
 * What the conformance suite expects of a server that it tests: tools, prompts and resources which show everything that the
 * protocol can. Parley has no use for most of it, but the suite tests the way through Parley's entry point with it.
 */

type Answer = (context: ServerContext, params: Json) => Json | Promise<Json>

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const states = createRequestStateCodec<string>({ key: crypto.getRandomValues(new Uint8Array(32)) })

const text = (text: string) => ({ type: 'text', text })
const image = { type: 'image', data: PNG, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, text: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text },
})
const complete = (...content: Json[]) => ({ content })

const askFor = (field: string) =>
  inputRequired.elicit({
    message: `Your ${field}?`,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
const askToConfirm = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})
const askModel = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  })

const capabilitiesOf = ({ envelope = {} }: ServerContext['mcpReq']) =>
  (envelope as Record<string, ClientCapabilities>)[CLIENT_CAPABILITIES_META_KEY] ?? {}

/** Answers at once if the caller has sent what is asked for, or else asks. */
const once =
  (key: string, request: Json, answer: (response: Json) => Json, state?: string): Answer =>
  async ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, key)
    if (response.kind !== 'missing' && mcpReq.requestState() === state) return answer(response)
    const requestState = state === undefined ? undefined : await states.mint(state)
    return inputRequired({ inputRequests: { [key]: request }, ...(requestState && { requestState }) })
  }

const tools: Record<string, Answer> = {
  test_simple_text: () => complete(text('This is a simple text response for testing.')),
  test_image_content: () => complete(image),
  test_audio_content: () => complete({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: () => complete(resource('test://embedded-resource', 'text/plain', 'Embedded.')),
  test_multiple_content_types: () =>
    complete(text('Several:'), image, resource('test://mixed-content-resource', 'application/json', '{"test":"data"}')),
  test_error_handling: () => ({
    ...complete(text('This tool intentionally returns an error for testing')),
    isError: true,
  }),
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken as string, progress, total: 100 },
      })
    return complete(text('Done.'))
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log('info', 'Sent to those who asked for a level of logs only.')
    return complete(text('Done.'))
  },
  test_missing_capability({ mcpReq }) {
    if (!capabilitiesOf(mcpReq).sampling)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return complete(text('Done.'))
  },
  test_streaming_elicitation: once('user_name', askFor('name'), () => complete(text('Hello!'))),
  test_input_required_result_elicitation({ mcpReq }) {
    const name = acceptedContent(mcpReq.inputResponses, 'user_name')?.name
    if (typeof name === 'string') return complete(text(`Hello, ${name}!`))
    return inputRequired({ inputRequests: { user_name: askFor('name') } })
  },
  test_input_required_result_sampling: once(
    'capital_question',
    askModel('What is the capital of France?'),
    (response) => complete(text(JSON.stringify(response))),
  ),
  test_input_required_result_list_roots: once('client_roots', inputRequired.listRoots(), (response) =>
    complete(text(JSON.stringify(response))),
  ),
  test_input_required_result_request_state: once(
    'confirm',
    askToConfirm,
    () => complete(text('state-ok')),
    'confirming',
  ),
  test_input_required_result_tampered_state: once(
    'confirm',
    askToConfirm,
    () => complete(text('state-ok')),
    'untampered',
  ),
  async test_input_required_result_multiple_inputs({ mcpReq }) {
    const inputRequests = {
      user_name: askFor('name'),
      greeting: askModel('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    }
    const hasAll = Object.keys(inputRequests).every(
      (key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing',
    )
    if (hasAll && mcpReq.requestState() === 'several') return complete(text('Done.'))
    return inputRequired({ inputRequests, requestState: await states.mint('several') })
  },
  async test_input_required_result_multi_round(context, params) {
    const isFirst = context.mcpReq.requestState() === undefined
    if (isFirst) return once('step1', askFor('name'), () => undefined, 'first')(context, params)
    return once('step2', askFor('color'), () => complete(text('Done.')), 'second')(context, params)
  },
  test_input_required_result_capabilities: ({ mcpReq }) => {
    return inputRequired({
      inputRequests: {
        question: askModel('Ready?'),
        ...(capabilitiesOf(mcpReq).elicitation && { name: askFor('name') }),
      },
    })
  },
}

const ask = (content: Json) => ({ role: 'user', content })
const prompts: Record<string, Answer> = {
  test_simple_prompt: () => ({ messages: [ask(text('This is a simple prompt for testing.'))] }),
  test_prompt_with_arguments: (_, { arguments: { arg1, arg2 } }) => ({
    messages: [ask(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }),
  test_prompt_with_embedded_resource: (_, { arguments: { resourceUri } }) => ({
    messages: [ask(resource(resourceUri, 'text/plain', 'Embedded.')), ask(text('Please process the resource above.'))],
  }),
  test_prompt_with_image: () => ({ messages: [ask(image), ask(text('Please analyze the image above.'))] }),
  test_input_required_result_prompt: once('user_context', askFor('context'), () => ({ messages: [ask(text('Go.'))] })),
}

const resources: Record<string, Json> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://template/123/data': { mimeType: 'application/json', text: '{"id":"123"}' },
}

const readFixture = (uri: string) => resources[uri] && { contents: [{ uri, ...resources[uri] }] }

type Handler = (request: Json, context: ServerContext) => Json | Promise<Json>

/** Parley's handler of a method, with the fixtures before or after what it answers. */
const extended: Record<string, (own: Handler) => Handler> = {
  'tools/list':
    (own) =>
    async (...call) => ({
      tools: [
        ...(await own(...call)).tools,
        ...Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
      ],
    }),
  'tools/call': (own) => (request, context) =>
    (tools[request.params.name] ?? (() => own(request, context)))(context, request.params),
  'prompts/list':
    (own) =>
    async (...call) => ({
      prompts: [...(await own(...call)).prompts, ...Object.keys(prompts).map((name) => ({ name, description: name }))],
    }),
  'prompts/get': (own) => (request, context) =>
    (prompts[request.params.name] ?? (() => own(request, context)))(context, request.params),
  'resources/list':
    (own) =>
    async (...call) => ({
      resources: [...(await own(...call)).resources, ...Object.keys(resources).map((uri) => ({ uri, name: uri }))],
    }),
  'resources/read': (own) => (request, context) => readFixture(request.params.uri) ?? own(request, context),
}

/** Parley's server, with the fixtures of the suite. */
export class ConformanceServer extends Server {
  constructor(...[info, options]: ConstructorParameters<typeof Server>) {
    super(info, {
      ...options,
      capabilities: { ...options?.capabilities, logging: {} },
      requestState: { verify: states.verify },
    })
  }

  override setRequestHandler(method: Json, handler: Json) {
    super.setRequestHandler(method, extended[method]?.(handler) ?? handler)
  }
}
