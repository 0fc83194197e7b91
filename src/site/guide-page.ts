import { html } from '../domain/html'
import { findGuide, renderGuide } from './guides'

/** A guide, with its headings beside it; undefined if there is none. */
export function guidePage(slug: string, base: string) {
  const guide = findGuide(slug)
  if (!guide) return undefined
  const { html: content, headings } = renderGuide(guide, base)
  const listed = headings.filter(({ level }) => level === 2)
  return {
    title: guide.title,
    body: html`<article class="guide"><h1>${guide.title}</h1>${content}</article>`,
    aside:
      listed.length > 1
        ? html`<aside class="contents" aria-label="On this page"><h2>On this page</h2><ul>${listed.map(
            ({ text, anchor }) => html`<li><a href="#${anchor}" data-spy>${text}</a></li>`,
          )}</ul></aside>`
        : undefined,
  }
}
