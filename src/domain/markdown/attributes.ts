/** The `rel` of every link, because the target may not be trustworthy. */
export const REL = 'rel="nofollow noopener noreferrer"'

export const escapeHtml = (text: string): string =>
  /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text

export const attribute = (name: string, value: string): string =>
  `${name}="${escapeHtml(value).replaceAll('"', '&quot;')}"`
