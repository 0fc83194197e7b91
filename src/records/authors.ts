import type { Author } from '../contract/authors'
import type { Links } from './links'

/** An author's record, from the card its rows carry. */
export const toAuthor = (links: Links, card: string): Author => links.author(card)
