import { paths } from '../paths'

const isProxied = () => document.documentElement.hasAttribute('data-image-proxy')

/** Loads images from other servers through this one, if that is turned on. Must run before the HTML is in the page, because images load at once. */
export const proxyImages = (html: string): string => (isProxied() ? rewriteImages(html) : html)

/** The server always writes `src` first, and escapes its value. */
const rewriteImages = (html: string): string =>
  html.replace(/<img src="(https?:[^"]*)(?=")/g, (_, url: string) => `<img src="${paths.image(unescapeUrl(url))}`)

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescapeUrl = (url: string) => url.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
