import { nounTitle } from '../../contract'
import { type Html, html } from '../../domain/html'
import {
  type Documented,
  type DocumentedResponse,
  dereference,
  getDocument,
  isObject,
  listOperations,
  type Parameter,
  schemaName,
} from '../document'
import { codeBlock, renderInline } from '../markdown'
import { guideUrl, objectUrl } from '../urls'
import { type ExampleInput, exampleInput, formatExample, mediaExample } from './examples'
import { fieldList, listFields, toFields } from './fields'
import { languageNames, languages, toSample } from './samples'

export const methodBadge = (method: string): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** The operations of a noun on one page; undefined if there is no such noun. */
export function nounPage(noun: string, base: string) {
  const operations = listOperations().filter((each) => each.noun === noun)
  if (operations.length === 0) return undefined
  const title = nounTitle(noun)
  const description = getDocument().tags.find(({ name }) => name === noun)?.description
  return {
    title,
    body: html`<div class="page-head"><h1>${title}</h1>${description ? html`<p class="lead">${renderInline(description)}</p>` : undefined}
<ul class="index">${operations.map(
      ({ name, method, path }) => html`<li><a href="#${name}">${methodBadge(method)}<code>${path}</code></a></li>`,
    )}</ul></div>
${operations.map((operation) => operationSection(operation, base))}`,
  }
}

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

/** A form that sends the request from the browser, with the reader's own token. */
function tryIt({ name, method, path, parameters, body, scope }: Documented, input: ExampleInput): Html {
  const id = (field: string) => `try-${name}-${field}`
  const types = Object.keys(body?.content ?? {})
  const isJson = types.includes('application/json')
  return html`<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" novalidate>
${
  scope === 'public'
    ? undefined
    : html`<label for="${id('token')}">Access token</label>
<div class="token"><input id="${id('token')}" name="token" type="password" autocomplete="off" spellcheck="false" placeholder="parley_…"><button type="button" data-session>Use my session</button></div>
<p class="hint">It stays in this tab, and is sent to this server only.</p>`
}
${parameters.filter((each) => each.in !== 'header').map((each) => parameterInput(id(each.name), each, input))}
${
  isJson
    ? html`<label for="${id('body')}">Body</label><textarea id="${id('body')}" name="body" rows="${Math.min(12, JSON.stringify(input.body, null, 2).split('\n').length)}" spellcheck="false">${JSON.stringify(input.body, null, 2)}</textarea>`
    : undefined
}
${body && !isJson ? html`<label for="${id('file')}">File</label><input id="${id('file')}" name="file" type="file" accept="${types.join()}">` : undefined}
<button class="send" type="submit">Send request</button>
<div class="outcome" role="status"></div>
</form></details>`
}

function parameterInput(id: string, parameter: Parameter, input: ExampleInput): Html {
  const { name, required } = parameter
  const kind = parameter.in
  const choices = choicesOf(parameter)
  const label = html`<label for="${id}"><code>${name}</code>${required ? html` <span class="required">required</span>` : undefined}</label>`
  if (choices)
    return html`${label}<select id="${id}" name="${name}" data-kind="${kind}"><option value=""></option>${choices.map(
      (choice) => html`<option>${choice}</option>`,
    )}</select>`
  return html`${label}<input id="${id}" name="${name}" data-kind="${kind}" autocomplete="off" spellcheck="false" placeholder="${input.path[name] ?? input.query[name] ?? ''}">`
}

function choicesOf({ schema }: Parameter): string[] | undefined {
  const { type, enum: values, anyOf } = dereference(schema)
  if (type === 'boolean') return ['true', 'false']
  return (values ?? anyOf?.find((each) => each.enum)?.enum)?.map(String)
}
