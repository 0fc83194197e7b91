import { paths } from '../paths'

const isProxied = () => document.documentElement.hasAttribute('data-image-proxy')

/** Has images of other servers loaded through this one, if it does that. Before the HTML is in the page, or they would load at once. */
export const proxyImages = (html: string): string => (isProxied() ? rewriteImages(html) : html)

/** The server writes `src` first, and escapes what is in it. */
const rewriteImages = (html: string): string =>
  html.replace(/<img src="(https?:[^"]*)(?=")/g, (_, url: string) => `<img src="${paths.image(unescapeUrl(url))}`)

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescapeUrl = (url: string) => url.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
