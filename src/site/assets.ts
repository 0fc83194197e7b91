import { readFileSync } from 'node:fs'
import fontPath from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2' with { type: 'file' }
import codeStyles from '../web/styles/code.css' with { type: 'text' }
import tokens from '../web/styles/tokens.css' with { type: 'text' }
import pageScript from './browser/page.js' with { type: 'text' }
import startScript from './browser/start.js' with { type: 'text' }
import pageStyles from './docs.css' with { type: 'text' }
import { assetUrl } from './urls'

export interface Asset {
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

/** What the pages of the documentation load. The colours are those of the web app. */
export const assets = {
  font,
  styles: toAsset('docs', 'css', 'text/css; charset=utf-8', fontFace + tokens + codeStyles + pageStyles),
  start: toAsset('start', 'js', JAVASCRIPT, startScript),
  script: toAsset('page', 'js', JAVASCRIPT, pageScript),
}
