/** What a browser shows in the tab: the avatar of a P. */
export const ICON = '/avatars/64/0-P.svg'

/** Text that goes into HTML as it is. */
export class Html {
  constructor(readonly text: string) {}
}

const escapeHtml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[letter]!,
  )

type Piece = Html | string | number | undefined | readonly Html[]

/** HTML in which everything put in is text, unless it is HTML already. */
export const html = (parts: TemplateStringsArray, ...values: Piece[]): Html =>
  new Html(parts.map((part, at) => part + (at < values.length ? render(values[at]) : '')).join(''))

function render(value: Piece): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return escapeHtml(String(value))
}
