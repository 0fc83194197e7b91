import { toPlainText } from '../../contract/excerpt'

/** The text that a reader sees of rendered Markdown, in lines. It is what is indexed: a change of it has everything indexed again. */
export const plainText = (html: string): string =>
  toPlainText(html, () => '\n')
    .replace(/\n{2,}/g, '\n')
    .trim()
