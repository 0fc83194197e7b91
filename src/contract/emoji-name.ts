/** The names of custom emoji. */
const CUSTOM_NAME = /^[a-z0-9_-]{2,32}$/

/** Whether this can be the name of a custom emoji. */
export const isCustomEmojiName = (name: string): boolean => CUSTOM_NAME.test(name)
