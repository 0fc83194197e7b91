// What the web app needs, too. There are no schemas here, so that its scripts stay small.

export const PAGE_SIZE = 50

/** How many records one request can ask about: a post and the comments of a long page. */
export const MAX_RECORD_IDS = 100

/** How many names are listed for each emoji. */
export const MAX_REACTION_NAMES = 3

/** The `subject_id` of a draft of a new post for which no channel was chosen yet. */
export const NO_PLACE = 'new'
