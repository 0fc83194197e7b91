import { nounTitle } from '../contract'
import { errors } from '../contract/errors'
import { html } from '../domain/html'
import { getDocument, isObject, listNouns, listOperations, loadDocument } from './document'
import { guideGroups, guidePage, guides, headingsOf } from './guides'
import { assets, docsPage } from './layout'
import { exampleInput } from './reference/examples'
import { eventTypesPage, objectsPage } from './reference/fields'
import { methodBadge, nounPage, samples } from './reference/operation'
import { EVENT_TYPES, guideUrl, HOME, nounUrl, OBJECTS, objectUrl, operationUrl, SEARCH_INDEX } from './urls'

/** What is at a path, and whether it changes with the server or, as its hash is in its name, never. */
export interface SiteFile {
  type: string
  content: string | Uint8Array<ArrayBuffer>
  caching: 'immutable' | 'revalidated'
}

/**
 * The documentation: guides and the reference, rendered here, so that it works without internet access. Returns what makes the
 * file at a path; `base` is the address of the server, `document` its OpenAPI document.
 */
export function openSite(base: string, document: object) {
  loadDocument(document)
  return (path: string): SiteFile | undefined => assetAt(path) ?? searchAt(path) ?? pageAt(path, base)
}

function assetAt(path: string): SiteFile | undefined {
  const asset = Object.values(assets).find(({ url }) => url === path)
  return asset && { type: asset.type, content: asset.content, caching: 'immutable' }
}

const searchAt = (path: string): SiteFile | undefined =>
  path === SEARCH_INDEX ? { type: 'application/json', content: buildSearchIndex(), caching: 'revalidated' } : undefined

function pageAt(path: string, base: string): SiteFile | undefined {
  const parts = partsAt(path, base)
  return parts && { type: 'text/html; charset=utf-8', content: docsPage({ path, ...parts }), caching: 'revalidated' }
}

function partsAt(path: string, base: string) {
  if (path === HOME) return homePage(base)
  if (path === OBJECTS) return objectsPage()
  if (path === EVENT_TYPES) return eventTypesPage()
  const [, , first, second, ...others] = path.split('/')
  if (first === undefined || others.length > 0) return undefined
  if (second === undefined) return guidePage(first, base)
  return first === 'reference' ? nounPage(second, base) : undefined
}

/** The first page: a request that works, the guides, and all operations. */
function homePage(base: string) {
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

/** What is shown, what it is, where it is, and further words by which it is found. */
type Entry = [title: string, kind: string, url: string, words: string]

/** Everything that can be searched for, as JSON. The browser loads it with the first search. */
function buildSearchIndex(): string {
  const entries: Entry[] = [
    ...guides.map(({ title, slug, section }): Entry => [title, 'Guide', guideUrl(slug), section ?? '']),
    ...listOperations().map(
      (each): Entry => [
        ...([each.summary.replace(/\.$/, ''), `${each.method} ${each.path}`, operationUrl(each.name)] as const),
        `${each.name} ${nounTitle(each.noun)}`,
      ],
    ),
    ...guides.flatMap((guide) =>
      headingsOf(guide).map(({ text, anchor }): Entry => [text, guide.title, `${guideUrl(guide.slug)}#${anchor}`, '']),
    ),
    ...Object.keys(getDocument().components.schemas)
      .filter(isObject)
      .map((name): Entry => [name, 'Object', objectUrl(name), '']),
    ...Object.entries(errors).map(
      ([code, { status, title }]): Entry => [
        ...([code, `Error ${status}`, `${guideUrl('errors')}#${code}`, title] as const),
      ],
    ),
    ...Object.keys(getDocument().webhooks ?? {}).map((type): Entry => [type, 'Event', `${EVENT_TYPES}#${type}`, '']),
  ]
  return JSON.stringify(entries)
}
