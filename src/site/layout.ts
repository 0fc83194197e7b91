import { readFileSync } from 'node:fs'
import fontPath from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2' with { type: 'file' }
import { nounTitle } from '../contract'
import { ICON } from '../domain/avatar'
import { type Html, html } from '../domain/html'
import codeStyles from '../web/styles/code.css' with { type: 'text' }
import tokens from '../web/styles/tokens.css' with { type: 'text' }
import pageScript from './browser/page.js' with { type: 'text' }
import startScript from './browser/start.js' with { type: 'text' }
import pageStyles from './docs.css' with { type: 'text' }
import { getDocument, listNouns, listOperations } from './document'
import { guideGroups } from './guides'
import { assetUrl, EVENT_TYPES, guideUrl, HOME, nounUrl, OBJECTS, operationUrl, SEARCH_INDEX } from './urls'

interface Asset {
  /** Contains the hash of the content, so that browsers may keep it. */
  url: string
  type: string
  content: string | Uint8Array<ArrayBuffer>
}

function toAsset(name: string, extension: string, type: string, content: string | Uint8Array<ArrayBuffer>): Asset {
  const hash = Bun.hash(content).toString(36).padStart(8, '0').slice(0, 8)
  return { url: assetUrl(`${name}-${hash}.${extension}`), type, content }
}

const font = toAsset('geist', 'woff2', 'font/woff2', new Uint8Array(readFileSync(fontPath)))
const fontFace = `@font-face { font-family: Geist; font-weight: 100 900; font-display: swap; src: url("${font.url}") format("woff2"); }\n`
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** The files that the pages of the documentation load. The colours are the web app's. */
export const assets = {
  font,
  styles: toAsset('docs', 'css', 'text/css; charset=utf-8', fontFace + tokens + codeStyles + pageStyles),
  start: toAsset('start', 'js', JAVASCRIPT, startScript),
  script: toAsset('page', 'js', JAVASCRIPT, pageScript),
}

interface PageParts {
  title: string
  /** Its path, to mark it in the navigation. */
  path: string
  body: Html
  /** Beside the text, where there is room. */
  aside?: Html
}

/** A page of the documentation. */
export const docsPage = ({ title, path, body, aside }: PageParts): string =>
  html`<!doctype html>
<html lang="en" data-language="curl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${path === HOME ? 'Parley documentation' : `${title} · Parley documentation`}</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="preload" href="${assets.font.url}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assets.styles.url}">
<script src="${assets.start.url}"></script>
<script type="module" src="${assets.script.url}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="${HOME}"><img src="${ICON}" alt="" width="22" height="22">Parley <span>Docs</span></a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search the docs" aria-label="Search the docs" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results" data-index="${SEARCH_INDEX}">
<kbd aria-hidden="true">/</kbd>
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</div>
<a class="top-link" href="/">Open Parley</a>
<button class="menu" type="button" popovertarget="navigation">Menu</button>
</header>
<div class="frame">
<nav id="navigation" popover aria-label="Documentation">${navigation(path)}</nav>
<main id="content" tabindex="-1">${body}</main>
${aside}
</div>
</body>
</html>`.text

const navigation = (current: string): Html => html`<ul>${navLink(HOME, 'Overview', current)}</ul>${guideGroups.map(
  ({ title, guides }) =>
    html`<h2>${title}</h2><ul>${guides.map((guide) => navLink(guideUrl(guide.slug), guide.title, current))}</ul>`,
)}
<h2>Reference</h2>
<ul>${listNouns().map((name) =>
  nounUrl(name) === current
    ? html`<li>${anchorTo(nounUrl(name), nounTitle(name), current)}<ul>${listOperations()
        .filter(({ noun }) => noun === name)
        .map(
          (operation) =>
            html`<li><a href="${operationUrl(operation.name)}" data-spy><span class="verb">${operation.verb}</span></a></li>`,
        )}</ul></li>`
    : navLink(nounUrl(name), nounTitle(name), current),
)}${navLink(OBJECTS, 'Objects', current)}${getDocument().webhooks ? navLink(EVENT_TYPES, 'Event types', current) : undefined}</ul>`

const navLink = (url: string, title: string, current: string): Html => html`<li>${anchorTo(url, title, current)}</li>`

const anchorTo = (url: string, title: string, current: string): Html =>
  url === current ? html`<a href="${url}" aria-current="page">${title}</a>` : html`<a href="${url}">${title}</a>`
