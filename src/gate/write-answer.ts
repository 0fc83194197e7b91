import { type OperationName, operations } from '../contract'
import { type Operation, successStatus } from '../contract/operation'
import { type Answer, type Call, JSON_TYPE } from './answer'
import type { Bearer } from './bearers'
import { checkAnswer } from './check'
import type { Parley } from './parley'
import type { ReplayGuard } from './replay'
import type { WriteResult } from './write'

/**
 * Runs a write once for each `Idempotency-Key`, and answers with its result. `getInput` is called when the input is needed to
 * tell requests apart: what is uploaded is part of it.
 */
export async function answerWrite(
  parley: Parley,
  { name, idempotencyKey }: Call,
  { viewer }: Bearer,
  getInput: () => Record<string, unknown>,
  run: (guard?: ReplayGuard) => Promise<WriteResult>,
): Promise<Answer> {
  const operation: Operation = operations[name]
  const key = operation.method === 'POST' ? idempotencyKey : undefined
  const { output, replayed } = await parley.replays(viewer, name, key, () => canonicalRequest(name, getInput()), run)
  if (parley.checkAnswers && replayed === undefined) checkAnswer(name, output)
  return {
    status: successStatus(operation),
    body: operation.output ? (replayed ?? JSON.stringify(output)) : null,
    contentType: JSON_TYPE,
    headers: replayed === undefined ? {} : { 'Idempotency-Replayed': 'true' },
  }
}

/** What a request asks for, as text. The order of its fields does not matter. */
const canonicalRequest = (name: OperationName, input: Record<string, unknown>) =>
  JSON.stringify([
    name,
    ...Object.keys(input)
      .sort()
      .map((field) => [field, input[field]]),
  ])
