import { html } from '../../domain/html'
import { dereference, getDocument } from '../document'
import { codeBlock } from '../highlight'
import { renderInline } from '../markdown'
import { guideUrl } from '../urls'
import { formatExample, mediaExample } from './examples'
import { fieldList, listFields } from './fields'

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
