import { Problem } from '../../contract/errors'

/** The problem of an operator whose value does not exist. `rule` says what would be right. */
export function unknownValue(operator: string, rule: string): Problem {
  const message = `\`${operator}\` is unknown. ${rule}`
  return new Problem('invalid_input', `q: ${message}`, [{ in: 'query', name: 'q', message }])
}
