import { afterAll, describe, expect, test } from 'bun:test'
import { type OperationName, operations } from '../../src/contract'
import { revisionOf } from '../expectations'
import { callAs } from './matrix-call'
import { worldWithCallers } from './matrix-callers'
import { expected, operationOf, type Rule, rules } from './matrix-rules'
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

test('every operation has a rule, and every rule an operation', () => {
  const missing = Object.keys(operations).filter((name) => !rules[name])
  const left = Object.keys(rules).filter((name) => !Object.hasOwn(operations, operationOf(name)))
  expect({
    'operations without a rule in matrix-rules.ts': missing,
    'rules without an operation': left,
  }).toEqual({
    'operations without a rule in matrix-rules.ts': [],
    'rules without an operation': [],
  })
})

describe.each(Object.keys(rules))('%s', (name) => {
  const rule = rules[name]!
  for (const isPrivate of rule.at === 'channel' ? [false, true] : [false])
    test(
      isPrivate ? 'follows the rules for every caller, in a private channel' : 'follows the rules for every caller',
      () => expectAnswersByRules(operationOf(name), rule, isPrivate),
    )
})

/** Operations on records of their own, which leave the callers and their channel as they were. */
const ON_RECORDS = ['posts', 'comments', 'messages', 'follows', 'drafts', 'reads', 'hooks', 'webhooks', 'reactions']

const shared = new Map<string, ReturnType<typeof worldWithCallers>>()

/** All reads share their workspaces, and all operations on records of one kind; others have one of their own. */
function findWorkspace(name: string, isPrivate: boolean): ReturnType<typeof worldWithCallers> {
  const kind = name.split('.')[0]!
  const isRead = operations[name as OperationName].method === 'GET'
  if (!isRead && !ON_RECORDS.includes(kind)) return worldWithCallers(isPrivate)
  const key = `${isRead ? 'reads of any' : kind} ${isPrivate}`
  const known = shared.get(key) ?? worldWithCallers(isPrivate)
  shared.set(key, known)
  return known
}

/** Calls as each kind of caller; after a successful call, a new record is created for the next. */
async function expectAnswersByRules(name: string, rule: Rule, isPrivate: boolean) {
  const workspace = await findWorkspace(name, isPrivate)
  let input: Record<string, unknown> | undefined
  let revision = 0
  const actual: Record<string, string> = {}
  const expectedAnswers: Record<string, string> = {}
  const changed: string[] = []
  for (const caller of workspace.callers) {
    const who = `${caller.kind}${caller.scope ? ` with ${caller.scope}` : ''}`
    if (!input) {
      input = await rule.input(workspace)
      revision = await revisionOf(workspace)
    }
    const answer = await callAs(workspace, name, caller, input)
    actual[who] = answer
    expectedAnswers[who] = expected(rule, caller, isPrivate)
    if (answer === 'ok') input = undefined
    else {
      const after = await revisionOf(workspace)
      if (after !== revision) changed.push(who)
      revision = after
    }
  }
  counted.operations.add(name)
  counted.answers += workspace.callers.length
  counted.wrong += Object.keys(actual).filter((who) => actual[who] !== expectedAnswers[who]).length
  expect(actual).toEqual(expectedAnswers)
  expect(changed).toEqual([])
}
