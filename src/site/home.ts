import { html } from '../domain/html'
import { listNouns, listOperations } from './document'
import { guideGroups } from './guides'
import { exampleInput } from './reference/examples'
import { nounTitle } from './reference/nouns'
import { methodBadge, samples } from './reference/operation'
import { guideUrl, nounUrl, operationUrl } from './urls'

/** The first page: a request that works, the guides, and all operations. */
export function homePage(base: string) {
  const operations = listOperations()
  const first = operations.find(({ name }) => name === 'posts.list')!
  return {
    title: 'Documentation',
    body: html`<section class="operation intro"><div class="text">
<h1>Build on Parley</h1>
<p class="lead">Everything people do in Parley, programs can do too: one HTTP API under <code>/v2</code>, live events, signed webhooks and a typed client.</p>
<p>Create an access token in <a href="/settings/tokens">Settings → Access tokens</a>, and send it with every request. The samples take it from <code>PARLEY_TOKEN</code>.</p>
<p class="actions"><a class="action" href="${guideUrl('getting-started')}">Make your first request</a> <a href="/v2/openapi.json">OpenAPI document</a></p>
</div><div class="beside">${samples(first, { ...exampleInput(first), query: { limit: '10' } }, base)}</div></section>
<section class="groups">${guideGroups.map(
      ({ title, guides }) =>
        html`<div><h2>${title}</h2><ul>${guides.map(({ slug, title: name }) => html`<li><a href="${guideUrl(slug)}">${name}</a></li>`)}</ul></div>`,
    )}</section>
<section class="all"><h2 id="operations"><a class="anchor" href="#operations">All operations</a></h2>
${listNouns().map(
  (name) => html`<h3><a href="${nounUrl(name)}">${nounTitle(name)}</a></h3>
<ul class="index">${operations
    .filter(({ noun }) => noun === name)
    .map(
      (operation) =>
        html`<li><a href="${operationUrl(operation.name)}">${methodBadge(operation.method)}<code>${operation.path}</code><span>${operation.summary.replace(/\.$/, '')}</span></a></li>`,
    )}</ul>`,
)}</section>`,
  }
}
