import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import { Html, html } from '../domain/html'

const languages = { bash, ini, javascript, json, python, typescript, yaml }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)
highlighter.registerAliases('curl', { languageName: 'bash' })

/** A block of code with colours, if the language is known. It can be scrolled by keyboard. */
export const codeBlock = (text: string, language: string | undefined): Html =>
  html`<pre tabindex="0"><code>${colour(text, language)}</code></pre>`

function colour(text: string, language: string | undefined): Html | string {
  if (!language || !highlighter.getLanguage(language)) return text
  return new Html(highlighter.highlight(text, { language, ignoreIllegals: true }).value)
}

export interface Heading {
  level: number
  text: string
  anchor: string
}

export interface Rendered {
  html: Html
  headings: Heading[]
}

interface MarkdownOptions {
  /** Where a link goes; undefined if what it names is not part of the documentation: only its text is shown. */
  resolve(href: string): string | undefined
  /** Added to the level of each heading. */
  shift: number
  /** Whether it lists the error codes: each row can then be linked to. */
  listsErrors?: boolean
}

/** Renders a document of this project. Its HTML is trusted. */
export function renderDocument(markdown: string, { resolve, shift, listsErrors }: MarkdownOptions): Rendered {
  const headings: Heading[] = []
  const text = Bun.markdown.render(markdown, {
    ...inlineCallbacks(resolve),
    heading(content, { level }) {
      const plain = decodeEntities(content.replace(/<[^>]+>/g, ''))
      const anchor = toAnchor(plain)
      const earlier = headings.filter((each) => each.text === plain).length
      const heading = { level: level + shift, text: plain, anchor: earlier > 0 ? `${anchor}-${earlier}` : anchor }
      headings.push(heading)
      return `<h${heading.level} id="${heading.anchor}"><a class="anchor" href="#${heading.anchor}">${content}</a></h${heading.level}>`
    },
    paragraph: (content) => `<p>${content}</p>`,
    blockquote: (content) => `<blockquote>${content}</blockquote>`,
    code: (content, meta) => codeBlock(decodeEntities(content).replace(/\n$/, ''), meta?.language).text,
    list: (content, { ordered }) => (ordered ? `<ol>${content}</ol>` : `<ul>${content}</ul>`),
    listItem: (content) => `<li>${content}</li>`,
    hr: () => '<hr>',
    table: (content) =>
      `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${content}</table></div>`,
    thead: (content) => `<thead>${content}</thead>`,
    tbody: (content) => `<tbody>${content}</tbody>`,
    tr: (content) => `<tr${listsErrors ? errorId(content) : ''}>${content}</tr>`,
    // To a screen reader, an empty `th` is a header without a name.
    th: (content) => (content === '' ? '<td></td>' : `<th>${content}</th>`),
    td: (content) => `<td>${content}</td>`,
  })
  return { html: new Html(text), headings }
}

/** The row of an error has its status, then its code. */
function errorId(cells: string): string {
  const code = cells.match(/^<td>\d{3}<\/td><td><code>(\w+)<\/code>/)?.[1]
  return code ? ` id="${code}"` : ''
}

/** A sentence of the OpenAPI document. */
export const renderInline = (markdown: string): Html =>
  new Html(
    Bun.markdown
      .render(markdown, {
        ...inlineCallbacks((href) => href),
        paragraph: (content) => `${content} `,
        list: (content) => `${content} `,
        listItem: (content) => `${content} `,
      })
      .trim(),
  )

const inlineCallbacks = (resolve: (href: string) => string | undefined): Bun.markdown.RenderCallbacks => ({
  text: escapeText,
  strong: (content) => `<strong>${content}</strong>`,
  emphasis: (content) => `<em>${content}</em>`,
  strikethrough: (content) => `<del>${content}</del>`,
  codespan: (content) => `<code>${content}</code>`,
  link(content, { href }) {
    const target = resolve(href)
    if (target === undefined) return content
    const rel = /^https?:/.test(target) ? ' rel="noopener noreferrer"' : ''
    return `<a href="${escapeText(target)}"${rel}>${content}</a>`
  },
  image: () => '',
})

const escapeText = (text: string) => html`${text}`.text
const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const decodeEntities = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)

/** The anchor of a heading, as in links between the documents. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
