/** Types that browsers show or play, and that cannot run code. Everything else is an attachment. */
const INLINE = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  ...['video/mp4', 'video/webm'],
  ...['audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/mp4', 'audio/aac', 'audio/flac'],
])

/** The headers that keep a browser from doing anything with a file but show, play or save it. */
export const contentHeaders = (name: string, contentType: string, isDownload: boolean): Record<string, string> => ({
  'Content-Disposition': disposition(!isDownload && INLINE.has(contentType) ? 'inline' : 'attachment', name),
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-cache',
  'Accept-Ranges': 'bytes',
})

/** RFC 6266, with the name as RFC 8187 for all but the plainest. */
export function disposition(type: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === name) return `${type}; filename="${plain}"`
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
