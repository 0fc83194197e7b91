import { DOMSerializer } from 'prosemirror-model'
import { getMentionName } from '../data/mentions'
import { getLanguage } from './plugins'
import { readMarkdown } from './read'
import { schema, showLink } from './schema'

const serializer = new DOMSerializer(
  {
    ...DOMSerializer.nodesFromSchema(schema),
    mention: ({ attrs: { id } }) => ['span', { class: 'mention' }, `@${getMentionName(id) ?? id}`],
    // Pictures are not loaded for the moment until the server has rendered it.
    image: ({ attrs: { alt } }) => ['span', alt],
    file: ({ attrs: { label } }) => [
      'p',
      { class: 'file-card' },
      ['span', { class: 'file-card-box' }, label || 'File'],
    ],
    code_block: (node) => {
      const language = getLanguage(node)
      return ['pre', ['code', language ? { class: `language-${language}` } : {}, 0]]
    },
    list_item: ({ attrs: { isChecked } }) =>
      isChecked === null
        ? ['li', 0]
        : ['li', ['input', { type: 'checkbox', disabled: '', ...(isChecked && { checked: '' }) }], ['div', 0]],
  },
  {
    ...DOMSerializer.marksFromSchema(schema),
    link: ({ attrs }) => showLink(attrs, { rel: 'nofollow noopener noreferrer' }),
  },
)

/** What was written, about as the server will render it. Undefined if it cannot be shown formatted. */
export function toHtml(markdown: string): string | undefined {
  const { doc, loss } = readMarkdown(markdown)
  if (loss !== undefined) return undefined
  // Apart from the page: nothing in it is loaded.
  const apart = document.implementation.createHTMLDocument('')
  const shown = apart.createElement('div')
  shown.append(serializer.serializeFragment(doc.content, { document: apart }))
  for (const wrapper of ['li > div', 'li > p'])
    for (const element of shown.querySelectorAll(wrapper)) element.replaceWith(...element.childNodes)
  return shown.innerHTML
}
