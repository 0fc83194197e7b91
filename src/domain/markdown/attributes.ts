/** The `rel` of every link, because the target may not be trustworthy. */
export const REL = 'rel="nofollow noopener noreferrer"'

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (letter) => ESCAPES[letter]!)

export const attribute = (name: string, value: string): string =>
  `${name}="${escapeHtml(value).replaceAll('"', '&quot;')}"`
