// Constants that the web app needs, too. There are no schemas here, so that its scripts stay small.

export const PAGE_SIZE = 50

/** How many records one request can ask about: a post and the comments of a long page. */
export const MAX_RECORD_IDS = 100

/** How many names are listed for each emoji. */
export const MAX_REACTION_NAMES = 3

/** The `subject_id` of a draft of a new post for which no channel was chosen yet. */
export const NO_SUBJECT = 'new'

/** The check boxes of rendered Markdown, and whether each is checked. Nothing else in it looks like this. */
export const CHECK_BOXES = /<input type="checkbox" disabled( checked)? \/>/g

export const checkBoxHtml = (isChecked: boolean): string =>
  `<input type="checkbox" disabled${isChecked ? ' checked' : ''} />`

/** The names of custom emoji. */
const CUSTOM_NAME = /^[a-z0-9_-]{2,32}$/

/** Whether this can be the name of a custom emoji. */
export const isCustomEmojiName = (name: string): boolean => CUSTOM_NAME.test(name)

/** The id of a file, as a part of regular expressions. */
export const FILE_ID = 'file_[0-9a-hjkmnp-tv-z]{26}'

/** Whether rendered Markdown may show files: the HTML of each has its id. */
export const mayHaveFiles = (html: string): boolean => html.includes('file_')

/** The name of the first workspace, unless the operator chose another one. */
export const DEFAULT_WORKSPACE_NAME = 'Home'

/** Behind the initials of who has no picture. Deep enough for white letters (contrast 4.5:1 and better). */
export const AVATAR_COLOURS = [
  ...['#0f766e', '#1d4ed8', '#6d28d9', '#a21caf', '#be123c'],
  ...['#b45309', '#4d7c0f', '#0e7490', '#475569', '#92400e'],
]

/** The address of an avatar with initials: the number of its colour, and the letters. */
export const INITIALS_URL = /\/(\d)-([^/]+)\.svg$/

/** What a text can mention by a word instead of an id: everyone in its channel, and those of them who are online. */
export const everyone = ['channel', 'here'] as const
export type Everyone = (typeof everyone)[number]
export const isEveryone = (id: unknown): id is Everyone => (everyone as readonly unknown[]).includes(id)

/** What somebody does first after they were invited, in the order of the web app. */
export const setupSteps = ['profile', 'password', 'time_zone', 'notifications'] as const
