/** Markup that is inserted without escaping. */
export class Html {
  constructor(readonly text: string) {}
}

const escapeHtml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character]!,
  )

type Value = Html | string | number | undefined | readonly Html[]

/** A template that escapes every value that is not HTML. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.map((part, at) => part + (at < values.length ? render(values[at]) : '')).join(''))

function render(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return escapeHtml(String(value))
}
