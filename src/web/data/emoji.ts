import { useQuery } from '@tanstack/react-query'
import type { CustomEmoji } from '../../contract/emoji'
import { cache, parley } from './cache/parley'
import { readStored, store } from './cache/storage'

const EMOJI = ['custom emoji']

/** The custom emoji of the workspace. */
export const useCustomEmoji = (): CustomEmoji[] | undefined =>
  useQuery({ queryKey: EMOJI, queryFn: async () => (await parley.emoji.list()).data }).data

export const refetchEmoji = () => cache.invalidateQueries({ queryKey: EMOJI })

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
