/** The text that a reader sees of rendered Markdown (domain/markdown/html.ts), with the alternative text of its images. */
export const plainText = (html: string): string =>
  html
    .replace(TAG, (_, name: string, attributes: string) => {
      if (name === 'img') return ALT.exec(attributes)?.[1] ?? ''
      return WITHIN_LINE.has(name) ? '' : '\n'
    })
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name]!)
    .replace(/\n{2,}/g, '\n')
    .trim()

// The renderer escapes < and > wherever they are not of a tag.
const TAG = /<\/?([a-z0-9]+)([^<>]*)>/g
const ALT = / alt="([^"]*)"/
const WITHIN_LINE = new Set(['a', 'strong', 'em', 'del', 'code', 'input'])
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
