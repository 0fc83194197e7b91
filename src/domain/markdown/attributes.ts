/** The `rel` of every link, because the target may not be trustworthy. */
export const REL = 'rel="nofollow noopener noreferrer"'

export const escapeHtml = (text: string): string =>
  /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text

export const attribute = (name: string, value: string): string =>
  `${name}="${escapeHtml(value).replaceAll('"', '&quot;')}"`

/** Text as Markdown that shows it as it is, within a line. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~[\]<>|&]/g, '\\$&')

/** A line of Markdown whose beginning is text. */
export const escapeStart = (line: string): string =>
  line
    .trimStart()
    .replace(/^(#{1,6}(?=\s|$)|[-+](?=\s|$)|[-=]+\s*$|-{2,}|(?:- ){2,})/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
