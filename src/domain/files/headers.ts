import { AUDIO, SHOWN_IMAGES, VIDEOS } from '../../contract/file-facts'

/** Types that browsers show or play, and that cannot run code. Everything else is an attachment. */
const INLINE = new Set([...SHOWN_IMAGES, ...VIDEOS, ...AUDIO])

/** Headers with which a browser can only show, play or save a file. */
export const contentHeaders = (name: string, contentType: string, isDownload: boolean): Record<string, string> => ({
  'Content-Disposition': disposition(!isDownload && INLINE.has(contentType) ? 'inline' : 'attachment', name),
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-cache',
  'Accept-Ranges': 'bytes',
})

/** The header of RFC 6266. A name that is not plain ASCII is also encoded as RFC 8187 says. */
export function disposition(type: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === name) return `${type}; filename="${plain}"`
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
