import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { rememberEmoji } from '../data/recent-emoji'
import type { Completion } from './completions'

const MAX_SHOWN = 8

/** Emoji whose name is being typed. */
export function useEmojiCompletions(query: string | undefined): Completion[] {
  const { data: list } = useQuery({
    queryKey: ['emoji'],
    queryFn: () => import('../data/emoji-list'),
    enabled: query !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useMemo(
    () =>
      !list || query === undefined
        ? []
        : list.searchEmoji(query, MAX_SHOWN).map(({ emoji, names }) => ({
            id: names[0]!,
            label: names[0]!.replaceAll('_', ' '),
            content: (
              <>
                <span className="emoji">{emoji}</span>
                <span>:{names.find((name) => name.startsWith(query)) ?? names[0]}:</span>
              </>
            ),
            toText() {
              rememberEmoji(emoji)
              return emoji
            },
          })),
    [list, query],
  )
}
