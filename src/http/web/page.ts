import { createHash } from 'node:crypto'
import { type ServedFile, toServedFile } from './served-file'

/** The page of the web app as it is sent, and the policy that allows what is written into it. */
export interface WebPages {
  signedIn: ServedFile
  signedOut(workspace: ShownWorkspace | undefined): ServedFile
  policy: string
}

/** All that visitors learn of the workspace before they sign in. */
export interface ShownWorkspace {
  name: string
  iconUrl: string | null
}

interface Inline {
  styles: string
  script: string
}

/** Who a part of the page is for: `<div data-for="signed-in">`. */
type Audience = 'signed-in' | 'signed-out'

/** Makes the pages for members and for visitors. Both are painted without another request. */
export function toPages(
  source: string,
  inline: Inline,
  signInScripts: readonly string[],
  hasImageProxy: boolean,
): WebPages {
  const html = hasImageProxy ? announceImageProxy(source) : source
  const preload = signInScripts.map((path) => `<link rel="modulepreload" href="${path}">`).join('')
  const signedOut = toPage(html, inline, 'signed-out', preload)
  let last: { workspace: ShownWorkspace | undefined; file: ServedFile } | undefined
  return {
    signedIn: toHtmlFile(toPage(html, inline, 'signed-in')),
    signedOut(workspace) {
      if (!last || !Bun.deepEquals(last.workspace, workspace))
        last = { workspace, file: toHtmlFile(showWorkspace(signedOut, workspace)) }
      return last.file
    },
    policy: toPolicy(inline, hasImageProxy),
  }
}

const toHtmlFile = (html: string) => toServedFile('text/html; charset=utf-8', new TextEncoder().encode(html))

function toPage(html: string, { styles, script }: Inline, audience: Audience, preload = ''): string {
  const links: string[] = []
  const withoutOthers = new HTMLRewriter()
    .on(`[data-for]:not([data-for="${audience}"])`, { element: (element) => void element.remove() })
    .on('link[rel=stylesheet]', {
      element(element) {
        links.push(`<link rel="stylesheet" href="${element.getAttribute('href')}">`)
        element.remove()
      },
    })
    .transform(html)
  return (
    new HTMLRewriter()
      .on('html', { element: (element) => void element.setAttribute('data-audience', audience) })
      .on('title', {
        element: (element) =>
          void element.after(`<script>${script}</script><style>${styles}</style>${preload}`, { html: true }),
      })
      // After what is painted first: a stylesheet holds back only what follows it.
      .on('#skeleton', { element: (element) => void element.after(links.join(''), { html: true }) })
      .transform(withoutOthers)
  )
}

/** Where there is one workspace, its name and icon are shown before anyone signs in. */
const showWorkspace = (html: string, workspace: ShownWorkspace | undefined) =>
  workspace === undefined
    ? html
    : new HTMLRewriter()
        .on('html', {
          element(element) {
            element.setAttribute('data-workspace', workspace.name)
            if (workspace.iconUrl) element.setAttribute('data-workspace-icon', workspace.iconUrl)
          },
        })
        .on('[data-workspace-name]', { element: (element) => void element.setInnerContent(workspace.name) })
        .on('[data-workspace-initial]', {
          element: (element) => void element.setInnerContent(workspace.iconUrl ? '' : initialOf(workspace.name)),
        })
        .transform(html)

const initialOf = (name: string) => ([...name.trim()][0] ?? '').toUpperCase()

/** The app then asks this server for the images of others. */
const announceImageProxy = (html: string) =>
  new HTMLRewriter()
    .on('html', { element: (element) => void element.setAttribute('data-image-proxy', '') })
    .transform(html)

/** Scripts, styles and fonts come from this server only; pictures in posts may come from elsewhere, unless there is an image proxy. */
const toPolicy = ({ styles, script }: Inline, hasImageProxy: boolean) =>
  [
    "default-src 'none'",
    `script-src 'self' ${hashOf(script)}`,
    `style-src 'self' ${hashOf(styles)}`,
    "font-src 'self'",
    `img-src 'self' data: blob:${hasImageProxy ? '' : ' https: http:'}`,
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types parley',
  ].join('; ')

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
