import { readStored, store } from './storage'

const KEY = 'recent-emoji'
const MAX_RECENT = 24

export const getRecentEmoji = (): string[] => readStored<string[]>(KEY, [])

export const rememberEmoji = (emoji: string) =>
  store(KEY, [emoji, ...getRecentEmoji().filter((other) => other !== emoji)].slice(0, MAX_RECENT))
