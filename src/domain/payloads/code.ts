/** A block of code in Markdown, whatever backticks it has. */
export const toFence = (code: string): string => {
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code.replace(/^\n|\n$/g, '')}\n${fence}`
}

/** The same within a line. */
export function toCode(code: string): string {
  const runs = new Set(code.match(/`+/g)?.map((run) => run.length))
  let length = 1
  while (runs.has(length)) length += 1
  const ticks = '`'.repeat(length)
  const space = /^`|`$/.test(code) ? ' ' : ''
  return `${ticks}${space}${code}${space}${ticks}`
}
