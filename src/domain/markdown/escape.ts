/** Text as Markdown that shows it as it is, within a line. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~[\]<>|&]/g, '\\$&')

/** A line of Markdown whose beginning is text. */
export const escapeStart = (line: string): string =>
  line
    .trimStart()
    .replace(/^(#{1,6}(?=\s|$)|[-+](?=\s|$)|[-=]+\s*$|-{2,}|(?:- ){2,})/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
