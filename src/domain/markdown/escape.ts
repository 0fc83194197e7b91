/** Text as Markdown that shows it as it is, within a line. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~[\]<>|&]/g, '\\$&')

/** The same for a whole line: what would make it a heading, a rule, a list or code is text. */
export const escapeLine = (line: string): string => escapeStart(escapeMarkdown(line))

/** A line of Markdown whose beginning is text. */
export const escapeStart = (line: string): string =>
  line
    .trimStart()
    .replace(/^(#{1,6}(?=\s|$)|[-+](?=\s|$)|[-=]+\s*$|-{2,}|(?:- ){2,})/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
