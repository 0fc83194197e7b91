import { type Html, html } from '../../domain/html'
import { type Documented, type DocumentedResponse, isObject } from '../document'
import { codeBlock } from '../highlight'
import { renderInline } from '../markdown'
import { schemaName } from '../schema-name'
import { guideUrl, objectUrl } from '../urls'
import { type ExampleInput, exampleInput, formatExample, mediaExample } from './examples'
import { fieldList, listFields, toFields } from './fields'
import { languageNames, languages, toSample } from './samples'
import { tryIt } from './try-it'

export const methodBadge = (method: string): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** Everything about one operation: its description and fields, and beside them programs that use it. */
export function operationSection(operation: Documented, base: string): Html {
  const { name, method, path, summary, description } = operation
  const input = exampleInput(operation)
  return html`<section class="operation" id="${name}" aria-labelledby="${name}-title">
<div class="text">
<h2 id="${name}-title"><a class="anchor" href="#${name}">${summary.replace(/\.$/, '')}</a></h2>
<p class="request">${methodBadge(method)}<code>${path}</code></p>
${description ? html`<p>${renderInline(description)}</p>` : undefined}
<p class="meta"><code>${name}</code>${notes(operation).map((note) => html` · ${note}`)}</p>
${inputs(operation)}
${success(operation)}
${failures(operation)}
</div>
<div class="beside">
${samples(operation, input, base)}
${exampleResponse(operation)}
${tryIt(operation, input)}
</div>
</section>`
}

/** Headers that many operations accept, each explained in a guide. */
const commonHeaders: Record<string, string> = { 'Idempotency-Key': 'idempotency', 'If-None-Match': 'caching' }

/** What holds for many operations: the scope, unless the description names it, and common headers. */
function notes({ scope, description, parameters }: Documented): Html[] {
  const needs =
    scope === 'public'
      ? html`needs no token`
      : html`needs a token with <a href="${guideUrl('authentication')}"><code>${scope}</code></a>`
  const accepted = parameters.filter((each) => each.in === 'header' && each.name in commonHeaders)
  return [
    ...(description?.includes('Needs ') ? [] : [needs]),
    ...accepted.map(({ name }) => html`accepts <a href="${guideUrl(commonHeaders[name]!)}"><code>${name}</code></a>`),
  ]
}

function inputs({ name, parameters, body }: Documented): Html {
  const part = (title: string, where: string) => {
    const found = parameters.filter((each) => each.in === where && !(each.name in commonHeaders))
    return found.length === 0 ? undefined : html`<h3>${title}</h3>${fieldList(`${title} of ${name}`, toFields(found))}`
  }
  const media = body?.content['application/json']
  const fields = media?.schema ? listFields(media.schema, 'request') : []
  return html`${part('Path', 'path')}${part('Query', 'query')}${
    fields.length > 0 ? html`<h3>Body</h3>${fieldList(`Body of ${name}`, fields)}` : undefined
  }${
    body && !media
      ? html`<h3>Body</h3><p>A file: ${Object.keys(body.content).map((type, at) => html`${at > 0 ? ', ' : ''}<code>${type}</code>`)}.</p>`
      : undefined
  }${part('Headers', 'header')}`
}

const isSuccess = ([status]: [string, DocumentedResponse]) => status.startsWith('2')

/** What is returned, with the fields of a record or of the records of a list. */
function success({ name, responses }: Documented): Html {
  const [status, response] = responses.find(isSuccess)!
  const schema = response.content?.['application/json']?.schema
  if (!schema) return html`<h3>Returns</h3><p><code>${status}</code> without a body.</p>`
  const named = schemaName(schema)
  const link =
    named.name && isObject(named.name) ? html`<a href="${objectUrl(named.name)}">${named.name}</a>` : undefined
  const words = {
    record: link ? html`${/^[AEIOU]/.test(named.name!) ? 'an' : 'a'} ${link}` : html`this object`,
    list: html`a list of ${link ?? 'objects'}`,
    page: html`a <a href="${guideUrl('pages')}">page</a> of ${link ?? 'objects'}`,
  }[named.kind]
  const fields = listFields(named.schema, 'response')
  const own =
    named.kind === 'page' ? listFields(schema, 'response').filter((field) => !ENVELOPE.includes(field.name)) : []
  return html`<h3>Returns</h3><p><code>${status}</code> with ${words}.</p>
${own.length > 0 ? fieldList(`The page of ${name}`, own) : undefined}
${
  fields.length > 0
    ? html`<details class="returned"><summary>Fields${named.name ? ` of ${named.name}` : ''}</summary>${fieldList(`Response of ${name}`, fields)}</details>`
    : undefined
}`
}

const ENVELOPE = ['data', 'next_cursor', 'prev_cursor', 'total_count']

/** The errors; their codes are in the descriptions. */
function failures({ responses }: Documented): Html {
  const codes = responses
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) =>
      [...description.matchAll(/`(\w+)`/g)].map(([, code]) => ({ status, code: code! })),
    )
  return html`<details class="errors"><summary>Errors</summary><ul>${codes.map(
    ({ status, code }) => html`<li>${status} <a href="${guideUrl('errors')}#${code}"><code>${code}</code></a></li>`,
  )}</ul></details>`
}

/** The same request in each language; one of them is shown. */
export const samples = (operation: Documented, input: ExampleInput, base: string): Html =>
  html`<div class="samples"><div class="tabs" role="group" aria-label="Language">${languages.map(
    (language) =>
      html`<button type="button" data-show="${language}" aria-pressed="${String(language === 'curl')}">${languageNames[language]}</button>`,
  )}</div>${languages.map(
    (language) =>
      html`<div class="code" data-in="${language}">${codeBlock(toSample(language, operation, input, base), language)}</div>`,
  )}</div>`

function exampleResponse({ responses }: Documented): Html | undefined {
  const [status, response] = responses.find(isSuccess)!
  const media = response.content?.['application/json']
  if (!media) return undefined
  const example = formatExample(mediaExample(media))
  return html`<div class="response"><p class="label">Response <code>${status}</code></p><div class="code">${codeBlock(example, 'json')}</div></div>`
}
