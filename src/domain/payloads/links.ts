import { escapeMarkdown } from '../markdown/escape'

const LINKED = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i
const UNSAFE = /[\s()<>\\|*_~`[\]]/g

/** Whether an address can be a link. */
export const isAddress = (url: string): boolean => LINKED.test(url)

/** A link in Markdown. The label is Markdown already; what leads nowhere is its label alone. */
export const toLink = (url: string, label: string): string =>
  isAddress(url) ? `[${label || escapeMarkdown(url)}](${encode(url)})` : label || escapeMarkdown(url)

/** A picture in Markdown. */
export const toImage = (url: string, alt: string): string =>
  /^https?:/i.test(url) ? `![${escapeMarkdown(alt)}](${encode(url)})` : escapeMarkdown(alt)

/** The address as Markdown reads it: without what would end it, and with no entity that Markdown would decode. */
const encode = (url: string) =>
  url
    .trim()
    .replace(UNSAFE, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/&(?=#?\w+;)/g, '&amp;')
