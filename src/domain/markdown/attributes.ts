/** Of every link: readers may not trust where it leads. */
export const REL = 'rel="nofollow noopener noreferrer"'

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (letter) => ESCAPES[letter]!)

export const attribute = (name: string, value: string): string =>
  `${name}="${escapeHtml(value).replaceAll('"', '&quot;')}"`
