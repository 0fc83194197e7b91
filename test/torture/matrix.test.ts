import { afterAll, describe, expect, test } from 'bun:test'
import { operations } from '../../src/contract'
import { revisionOf } from '../expectations'
import { ask } from './matrix-ask'
import { expected, type Rule, rules } from './matrix-rules'
import { stage } from './matrix-stage'
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

test('every operation has its rule, and every rule its operation', () => {
  const missing = Object.keys(operations).filter((name) => !rules[name])
  const left = Object.keys(rules).filter((name) => !Object.hasOwn(operations, name))
  expect({
    'no rule in matrix-rules.ts says who may do': missing,
    'no operation has the name of the rule': left,
  }).toEqual({
    'no rule in matrix-rules.ts says who may do': [],
    'no operation has the name of the rule': [],
  })
})

describe.each(Object.keys(operations).filter((name) => rules[name]))('%s', (name) => {
  const rule = rules[name]!
  for (const isPrivate of rule.at === 'channel' ? [false, true] : [false])
    test(isPrivate ? 'answers everyone by the rules, in private' : 'answers everyone by the rules', () =>
      expectByTheRules(name, rule, isPrivate),
    )
})

/** Each kind of caller in turn; what one of them uses up is made anew for the next. */
async function expectByTheRules(name: string, rule: Rule, isPrivate: boolean) {
  const place = await stage(isPrivate)
  let input: Record<string, unknown> | undefined
  const told: Record<string, string> = {}
  const right: Record<string, string> = {}
  const moved: string[] = []
  for (const caller of place.callers) {
    const who = `${caller.kind}${caller.scope ? ` with ${caller.scope}` : ''}`
    input ??= await rule.input(place)
    const before = await revisionOf(place)
    const answer = await ask(place, name, caller, input)
    told[who] = answer
    right[who] = expected(rule, caller, isPrivate)
    if (answer === 'ok') input = undefined
    else if ((await revisionOf(place)) !== before) moved.push(who)
  }
  counted.operations.add(name)
  counted.answers += place.callers.length
  counted.wrong += Object.keys(told).filter((who) => told[who] !== right[who]).length
  expect(told).toEqual(right)
  expect(moved).toEqual([])
}
