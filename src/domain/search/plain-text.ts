/**
 * The text that a reader sees of rendered Markdown (domain/markdown/html.ts), with the alternative text of its images and the
 * names of its files, but not their types and sizes.
 */
export const plainText = (html: string): string =>
  html
    .replace(FILE_FACTS, '')
    .replace(TAG, (_, name: string, attributes: string) => {
      const text = TEXT.exec(attributes)?.[1] ?? ''
      const fileName = FILE_NAME.exec(attributes)
      if (fileName) return `${text} ${fileName[1]} `
      return WITHIN_LINE.has(name) ? text : `${text}\n`
    })
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name]!)
    .replace(/\n{2,}/g, '\n')
    .trim()

// The renderer escapes < and > wherever they are not of a tag.
const TAG = /<\/?([a-z0-9]+)([^<>]*)>/g
const TEXT = / (?:alt|aria-label)="([^"]*)"/
const FILE_NAME = / data-name="([^"]*)"/
const FILE_FACTS = / <span class="file-facts">[^<]*<\/span>/g
const WITHIN_LINE = new Set(['a', 'strong', 'em', 'del', 'code', 'input', 'img', 'span'])
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
