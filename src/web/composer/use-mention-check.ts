import { useEffect, useRef, useState } from 'react'
import type { Author } from '../../contract/shapes'
import {
  type AudiencePlace,
  describeMentions,
  fetchAudience,
  findMentionedIds,
  giveAccess,
  type MentionNote,
  useAudience,
  useMentionedIds,
} from '../data/audience'
import { useIsLive } from '../data/cache/live'

/**
 * What is worth knowing about the mentions of a text before it is sent. If someone sends it before that could be shown, it is
 * shown instead, once. Without a connection, nothing is known, and nothing is held up.
 */
export function useMentionCheck(place: AudiencePlace | undefined, text: string) {
  const isReachable = useIsReachable()
  const ids = useMentionedIds(place ? text : '')
  const audience = useAudience(place, ids, isReachable && ids.length > 0)
  const [stopped, setStopped] = useState<readonly MentionNote[]>([])
  const shown = useRef(new Set<string>())
  const isChecking = useRef(false)

  const mentioned = isReachable ? (audience?.mentioned.filter(({ id }) => ids.includes(id)) ?? []) : []
  const current = place ? describeMentions(mentioned, place) : []
  // Until what is shown in pauses of typing has caught up.
  const notes = current.length > 0 ? current : stopped
  useEffect(() => {
    for (const { key } of notes) shown.current.add(key)
  })
  useEffect(() => setStopped((before) => (before.length > 0 ? [] : before)), [text])

  async function findUnseen(): Promise<MentionNote[]> {
    const now = await findMentionedIds(text)
    const found = now.length > 0 ? await fetchAudience(place!, now) : undefined
    const all = found ? describeMentions(found.mentioned, place!) : []
    return all.some(({ key, isWarning }) => isWarning && !shown.current.has(key)) ? all : []
  }
  return {
    place,
    notes,
    isStopped: stopped.length > 0,
    /** Gives access to people, who then are no longer told about. */
    async add(people: readonly Author[]) {
      await giveAccess(place!, people)
      setStopped([])
    },
    /** Sends the text, or shows what was not seen yet. */
    async run(send: () => void) {
      if (!place || !isReachable || !text.includes('@')) return send()
      if (isChecking.current) return
      isChecking.current = true
      const unseen = await findUnseen()
      isChecking.current = false
      if (unseen.length > 0) setStopped(unseen)
      else send()
    },
  }
}

/** Whether there is a connection, or, while the page opens, may be one. */
function useIsReachable(): boolean {
  const isLive = useIsLive()
  const wasLive = useRef(false)
  if (isLive) wasLive.current = true
  return isLive || (!wasLive.current && navigator.onLine)
}
