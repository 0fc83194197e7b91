import { afterAll, describe, expect, test } from 'bun:test'
import { type OperationName, operations } from '../src/contract'
import { pathParams, successStatus } from '../src/contract/operation'
import { createClient } from './client'
import { type Scenario, scenarios } from './scenarios'
import { type World, world } from './world'

const called = new Set<string>()

describe.each(Object.keys(scenarios) as OperationName[])('%s', (name) => {
  const scenario = scenarios[name] as Scenario<never>
  const operation = operations[name]

  test('succeeds with the documented status', async () => {
    const everyone = await world()
    const input = await scenario.input(everyone)
    const token = (await scenario.token?.(everyone)) ?? everyone.root.token
    const { output, status } = await callAs(everyone, name, input, token)
    expect(status).toBe(successStatus(operation))
    if (operation.output ?? operation.download) expect(output).toBeDefined()
    else expect(output).toBeUndefined()
    scenario.check?.(output as never, input)
    called.add(name)
  })

  test('requires a token', async () => {
    const { raw } = await world()
    const path = pathParams(operation.path).reduce(
      (at, param) => at.replace(`:${param}`, 'x'),
      operation.path as string,
    )
    const response = await raw(undefined, path, { method: operation.method })
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toStartWith('Bearer')
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' })
  })
})

afterAll(() => expect([...called].sort()).toEqual(Object.keys(operations).sort()))

/** Calls an operation by name, through the client; also returns the status. */
async function callAs({ baseUrl }: World, name: OperationName, input: unknown, token: string) {
  let status = 0
  const watched = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request)
    status = response.status
    return response
  }
  const client = createClient({ baseUrl, token, fetch: watched as typeof fetch })
  const [noun, verb] = name.split('.') as [string, string]
  const nouns = client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>
  return { output: await nouns[noun]![verb]!(input), status }
}
