import type { Author } from '../contract/authors'
import type { Links } from './links'

/** An author's record, from the card that rows carry: see `authorCard` in store/json.ts. */
export const toAuthor = (links: Links, card: string): Author => links.author(card)
