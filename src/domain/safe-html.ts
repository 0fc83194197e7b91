import type sanitize from 'sanitize-html'

/** Loaded when first needed: it takes part of the time of every start, and plain text does without. */
const sanitizer = (): typeof sanitize => require('sanitize-html')

/** What HTML may hold: what Markdown makes, and nothing that runs, loads or overlays. */
const allowed: sanitize.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'code', 'ul', 'ol', 'li'],
    ...['strong', 'em', 'b', 'i', 'del', 's', 'sub', 'sup', 'kbd', 'mark', 'a', 'img', 'input'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    code: ['class'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
    input: ['type', 'checked', 'disabled'],
  },
  allowedClasses: { a: ['mention'], code: [/^language-[\w+#-]{1,30}$/] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['https', 'http'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'escape',
  // Tags in capitals are none of ours: they are shown as they were written.
  parser: { lowerCaseTags: false, decodeEntities: true },
  nestingLimit: 100,
  transformTags: {
    a: (tagName, attributes) => ({ tagName, attribs: { ...attributes, rel: 'nofollow noopener noreferrer' } }),
    img: (tagName, attributes) => ({ tagName, attribs: { ...attributes, loading: 'lazy' } }),
    // Task lists have check boxes; nothing else may be an input.
    input: (tagName, { checked }): sanitize.Tag => ({
      tagName,
      attribs: { type: 'checkbox', disabled: '', ...(checked !== undefined && { checked: '' }) },
    }),
  },
}

/** The same HTML with nothing in it that could do harm. */
export const sanitized = (html: string): string => sanitizer()(html, allowed)

export const withoutTags = (html: string): string => sanitizer()(html, { allowedTags: [], allowedAttributes: {} })

const RICH = /<(?!\/?(?:p|strong|em|del|code|pre|ul|ol|li|blockquote|h[1-6]|br|hr)>)|&(?!(?:lt|gt|quot|#39|amp);)/

/** Whether it holds nothing but text and tags without attributes, as most of what people write does. */
export const isPlain = (html: string): boolean => !RICH.test(html)

/**
 * `sanitized`, for HTML that is plain and whose tags are closed in their order. There is nothing to take away, so it
 * only spells things as the sanitizer does, which takes three times as long as making the HTML.
 */
export const sanitizedPlain = (html: string): string =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('<br>', '<br />').replaceAll('<hr>', '<hr />')
