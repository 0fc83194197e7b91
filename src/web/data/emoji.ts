import { useQuery } from '@tanstack/react-query'
import type { CustomEmoji } from '../../contract/emoji'
import { keys } from './cache/keys'
import { cache, parley } from './cache/parley'
import { readStored, store } from './cache/storage'

/** The custom emoji of the workspace. */
export const useCustomEmoji = (): CustomEmoji[] | undefined =>
  useQuery({ queryKey: keys.emoji, queryFn: async () => (await parley.emoji.list()).data }).data

const refetchEmoji = () => cache.invalidateQueries({ queryKey: keys.emoji })

export async function addCustomEmoji(name: string, file: Blob) {
  await parley.emoji.set({ name, file })
  await refetchEmoji()
}

export async function deleteCustomEmoji(name: string) {
  await parley.emoji.delete({ name })
  await refetchEmoji()
}

const KEY = 'recent-emoji'
const MAX_RECENT = 24

export const getRecentEmoji = (): string[] => readStored<string[]>(KEY, [])

export const rememberEmoji = (emoji: string) =>
  store(KEY, [emoji, ...getRecentEmoji().filter((other) => other !== emoji)].slice(0, MAX_RECENT))
