import { Compile, type Validator } from 'typebox/compile'
import { type OperationName, operations } from '../contract'
import { type ErrorCode, Problem } from '../contract/errors'
import { commonErrors } from '../contract/operation'
import { JsonText } from '../domain/json-text'

const outputs = new Map<OperationName, Validator | undefined>()

/** Whether an answer is what the contract promises; in tests, where it must be. */
export function checkOutput(name: OperationName, answered: unknown) {
  const output = answered instanceof JsonText ? JSON.parse(textOf(answered)) : answered
  const { output: schema } = operations[name]
  if (!outputs.has(name)) outputs.set(name, schema && Compile(schema))
  const validator = outputs.get(name)
  if (!validator && output !== undefined) throw new Error(`${name} answers with something, the contract with nothing.`)
  if (validator && !validator.Check(output))
    throw new Error(`${name} breaks the contract: ${JSON.stringify(validator.Errors(output).slice(0, 3))}`)
}

const textOf = ({ text }: JsonText<unknown>) => (typeof text === 'string' ? text : new TextDecoder().decode(text))

/** Whether the contract says that this error may happen here. */
export function checkProblem(name: OperationName, error: unknown) {
  if (!(error instanceof Problem)) return
  const promised: readonly ErrorCode[] = [...operations[name].errors, ...commonErrors(operations[name])]
  if (!promised.includes(error.code))
    throw new Error(`${name} answers ${error.code}, which its contract does not name.`)
}
