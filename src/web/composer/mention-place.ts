import { createContext } from 'react'

/** Whether a text is in a channel, where everyone in it can be mentioned. */
export const MentionPlace = createContext<'channel' | 'thread'>('channel')
