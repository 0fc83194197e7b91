import { type Html, html } from '../../domain/html'
import { dereference, getDocument, isObject, type Parameter, refName, type Schema } from '../document'
import { codeBlock, renderInline } from '../markdown'
import { guideUrl, objectUrl } from '../urls'
import { formatExample, mediaExample, objectExample } from './examples'

interface Field {
  name: string
  schema: Schema
  description: string | undefined
  isRequired: boolean
}

/** A list of parameters or fields; fields of objects without a name of their own are indented below them. */
export const fieldList = (label: string, fields: Field[]): Html =>
  html`<ul class="fields" aria-label="${label}">${fields.map((field) => fieldItem(field, 0))}</ul>`

export const toFields = (parameters: Parameter[]): Field[] =>
  parameters.map(({ name, schema, description, required }) => ({
    ...{ name, schema, isRequired: required === true },
    description: description ?? describe(schema),
  }))

/** The fields of an object. The fields of a request say whether they have to be sent. */
export function listFields(given: Schema, kind: 'request' | 'response'): Field[] {
  const schema = dereference(given)
  const parts = schema.allOf ? schema.allOf.map(dereference) : [schema]
  return parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, inside]) => ({
      ...{ name, schema: inside, description: describe(inside) },
      isRequired: kind === 'request' && required.includes(name),
    })),
  )
}

function describe(schema: Schema): string | undefined {
  if (schema.description) return schema.description
  const choices = schema.anyOf ?? schema.oneOf
  return choices?.find(({ type, description }) => type !== 'null' && description)?.description
}

function fieldItem({ name, schema, description, isRequired }: Field, depth: number): Html {
  const inside = depth < 3 ? unnamedObject(schema) : undefined
  return html`<li><div class="field"><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    isRequired ? html` <span class="required">required</span>` : undefined
  }</div>
<div>${description ? renderInline(description) : undefined}${limitsOf(schema)}</div>${
    inside &&
    html`<ul>${Object.entries(inside.properties!).map(([key, value]) =>
      fieldItem({ name: key, schema: value, description: describe(value), isRequired: false }, depth + 1),
    )}</ul>`
  }</li>`
}

/** An object that is described only here. */
function unnamedObject(schema: Schema): Schema | undefined {
  if (schema.$ref) return undefined
  if (schema.properties) return schema
  if (schema.items) return unnamedObject(schema.items)
  return (schema.anyOf ?? schema.oneOf)?.map(unnamedObject).find((each) => each !== undefined)
}

/** The type in words, with links to the objects it names. */
function typeOf(schema: Schema): Html {
  const name = refName(schema)
  if (name) return isObject(name) ? html`<a href="${objectUrl(name)}">${name}</a>` : typeOf(dereference(schema))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return html`string`
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return joinTypes(choices)
  if (schema.type === 'array') return schema.items ? html`list of ${typeOf(schema.items)}` : html`list`
  const types = [schema.type ?? 'object'].flat()
  return html`${types.map((type) => (type === 'string' && schema.format === 'date-time' ? 'timestamp' : type)).join(' or ')}`
}

function joinTypes(choices: Schema[]): Html {
  const types = [...new Map(choices.map((each) => [typeOf(each).text, typeOf(each)])).values()]
  return html`${types.map((type, at) => (at === 0 ? type : html` or ${type}`))}`
}

/** The field lists of an object: one, or one for each shape that it may have. */
function objectFields(label: string, schema: Schema): Html {
  const shapes = (schema.anyOf ?? schema.oneOf ?? [schema]).map(dereference).filter(({ properties }) => properties)
  return html`${shapes.map(
    (shape, at) =>
      html`${shapes.length > 1 ? html`<h3>${at === 0 ? 'Either' : 'Or'}</h3>` : undefined}${fieldList(
        shapes.length > 1 ? `${label}, ${at + 1}` : label,
        listFields(shape, 'response'),
      )}`,
  )}`
}

/** Values, defaults and bounds. */
function limitsOf(given: Schema): Html | undefined {
  const schema = given.$ref && !isObject(refName(given)!) ? dereference(given) : given
  const inner = schema.enum
    ? schema
    : [schema.items, ...(schema.anyOf ?? schema.oneOf ?? [])].find((each) => each?.enum)
  const parts: Html[] = []
  if (inner?.enum) parts.push(valuesOf(inner.enum))
  if (schema.default !== undefined) parts.push(html`default <code>${String(schema.default)}</code>`)
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    parts.push(html`${schema.minimum} to ${schema.maximum}`)
  if (schema.maxLength !== undefined && schema.maxLength !== 100)
    parts.push(html`up to ${schema.maxLength.toLocaleString('en')} characters`)
  if (schema.maxItems !== undefined) parts.push(html`up to ${schema.maxItems}`)
  if (parts.length === 0) return undefined
  return html` <div class="limits">${parts.map((part, at) => (at === 0 ? part : html` · ${part}`))}</div>`
}

const MAX_VALUES = 12

/** The values that are possible; long lists are folded. */
function valuesOf(values: unknown[]): Html {
  const list = html`${values.map((value, at) => html`${at > 0 ? ', ' : ''}<code>${String(value)}</code>`)}`
  if (values.length <= MAX_VALUES) return list
  return html`<details><summary>${values.length} values</summary>${list}</details>`
}

/** Every named object of the API. */
export function objectsPage() {
  const schemas = Object.entries(getDocument().components.schemas).filter(([name]) => isObject(name))
  return {
    title: 'Objects',
    body: html`<div class="page-head"><h1>Objects</h1>
<p class="lead">The objects that the API returns and accepts. New fields may be added at any time: ignore those you do not know.</p></div>
${schemas.map(
  ([name, schema]) => html`<section class="operation" id="${name}" aria-labelledby="${name}-title"><div class="text">
<h2 id="${name}-title"><a class="anchor" href="#${name}">${name}</a></h2>
${schema.description ? html`<p>${renderInline(schema.description)}</p>` : undefined}
${objectFields(`Fields of ${name}`, schema)}</div>
<div class="beside"><div class="response"><p class="label">Example</p><div class="code">${codeBlock(formatExample(objectExample(name)), 'json')}</div></div></div></section>`,
)}`,
  }
}

/** Every type of event, as it is delivered to webhooks; undefined if the document has none. */
export function eventTypesPage() {
  const { webhooks } = getDocument()
  if (!webhooks) return undefined
  return {
    title: 'Event types',
    body: html`<div class="page-head"><h1>Event types</h1>
<p class="lead">What happens in a workspace, as it is polled, streamed and delivered to webhooks. See <a href="${guideUrl('events')}">Events and webhooks</a>.</p></div>
${Object.entries(webhooks).map(([type, { post }]) => {
  const media = post?.requestBody && dereference(post.requestBody).content['application/json']
  const data = media?.schema && dereference(media.schema).properties?.data
  const words = post?.summary ?? post?.description
  return html`<section class="operation" id="${type}" aria-labelledby="${type}-title"><div class="text">
<h2 id="${type}-title"><a class="anchor" href="#${type}">${type}</a></h2>
${words ? html`<p>${renderInline(words)}</p>` : undefined}
${data ? fieldList(`Data of ${type}`, [{ name: 'data', schema: data, description: data.description, isRequired: false }, ...(data.$ref ? [] : listFields(data, 'response'))]) : undefined}</div>
<div class="beside">${
    media
      ? html`<div class="response"><p class="label">Example</p><div class="code">${codeBlock(formatExample(mediaExample(media)), 'json')}</div></div>`
      : undefined
  }</div></section>`
})}`,
  }
}
