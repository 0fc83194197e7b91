import { afterAll, describe, expect, test } from 'bun:test'
import { type OperationName, operations } from '../../src/contract'
import { revisionOf } from '../expectations'
import { type AnyCall, calls, type Prepared } from '../operations'
import { expected } from '../operations/rules'
import { callAs } from './matrix-call'
import { type Caller, worldWithCallers } from './matrix-callers'
import { reportFigure } from './report'

const counted = { operations: new Set<string>(), answers: 0, wrong: 0 }

afterAll(() =>
  reportFigure({
    question: 'Does every operation answer every kind of caller by the rules?',
    goal: 'no other answer',
    figure: `${counted.answers} answers of ${counted.operations.size} operations, ${counted.wrong} wrong`,
    isMet: counted.wrong === 0,
  }),
)

describe.each(calls.map((call) => [call.title, call] as const))('%s', (_, call) => {
  for (const isPrivate of call.rule.at === 'channel' ? [false, true] : [false])
    test(
      isPrivate ? 'follows the rules for every caller, in a private channel' : 'follows the rules for every caller',
      () => expectAnswersByRules(call, isPrivate),
    )
})

const isRead = (name: OperationName) => operations[name].method === 'GET'

/** They leave passwords behind, which later calls would have to send. */
const ALONE: readonly OperationName[] = ['me.setPassword', 'me.deletePassword']
const shared = new Map<string, ReturnType<typeof worldWithCallers>>()

/** All reads share their workspaces, and so do the writes of a noun: they leave the callers and their channel as they were. */
function findWorkspace(name: OperationName, isPrivate: boolean) {
  const whose = isRead(name) ? 'reads' : ALONE.includes(name) ? name : name.split('.')[0]!
  return shared.getOrInsertComputed(`${whose} ${isPrivate}`, () => worldWithCallers(isPrivate))
}

const nameOf = ({ kind, scope }: Caller) => `${kind}${scope ? ` with ${scope}` : ''}`

/**
 * Makes the call as each kind of caller. Reads and refused writes change nothing, so they are made at once, on the same
 * record; a write that succeeds has a record of its own.
 */
async function expectAnswersByRules({ name, rule, input: createInput }: AnyCall, isPrivate: boolean) {
  const workspace = await findWorkspace(name, isPrivate)
  const { cast, callers } = workspace
  const wanted = Object.fromEntries(callers.map((caller) => [nameOf(caller), expected(rule, caller, isPrivate)]))
  const changes = (caller: Caller) => !isRead(name) && wanted[nameOf(caller)] === 'ok'
  // The author is the last, and uses up what was created for them alone, such as a password.
  const allowed = callers.filter(changes).toSorted((a, b) => Number(a.isAuthor) - Number(b.isAuthor))
  const actual: Record<string, string> = {}
  const askAs = async (caller: Caller, input: Prepared) => {
    actual[nameOf(caller)] = await callAs(workspace, name, caller, input)
  }

  const first = await createInput(cast)
  const revision = await revisionOf(workspace)
  await Promise.all(callers.filter((caller) => !changes(caller)).map((caller) => askAs(caller, first)))
  const isUnchanged = (await revisionOf(workspace)) === revision
  for (const [at, caller] of allowed.entries()) await askAs(caller, at === 0 ? first : await createInput(cast))

  counted.operations.add(name)
  counted.answers += callers.length
  counted.wrong += Object.keys(actual).filter((who) => actual[who] !== wanted[who]).length
  expect(actual).toEqual(wanted)
  expect(isUnchanged).toBe(true)
}
