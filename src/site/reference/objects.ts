import { html } from '../../domain/html'
import { getDocument, isObject } from '../document'
import { codeBlock } from '../highlight'
import { renderInline } from '../markdown'
import { formatExample, objectExample } from './examples'
import { objectFields } from './fields'

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
