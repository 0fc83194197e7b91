import { html } from '../../domain/html'
import { getDocument, listOperations } from '../document'
import { renderInline } from '../markdown'
import { methodBadge, operationSection } from './operation'

const titles: Record<string, string> = { signInLinks: 'Sign-in links', hooks: 'Incoming webhooks' }

/** A noun of the contract as people write it. */
export function nounTitle(noun: string): string {
  return titles[noun] ?? noun[0]!.toUpperCase() + noun.slice(1)
}

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
