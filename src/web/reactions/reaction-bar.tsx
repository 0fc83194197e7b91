import { useState } from 'react'
import type { EmojiCount } from '../../contract/reactions'
import { toggleReaction, useReactions } from '../data/reactions'
import { Icon } from '../parts/icon'
import { Tip } from '../parts/tip'
import { EmojiImage, formatEmoji } from './emoji-image'
import { ReactButton } from './react-button'
import { WhoReacted } from './who-reacted'

interface Props {
  subjectId: string
  disabledReason: string | undefined
  /** Whether there is a button to add a reaction where there is none yet. */
  hasButton?: boolean
}

/** The reactions to a record. Each is a button that adds or removes your own. Renders nothing if there are none. */
export function ReactionBar({ subjectId, disabledReason, hasButton = false }: Props) {
  const reactions = useReactions(subjectId)
  const [isListShown, showList] = useState(false)
  if (reactions.length === 0 && !hasButton) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div className="reactions" role="group" aria-label="Reactions">
      {reactions.map((each) => (
        <Chip
          key={each.emoji}
          reaction={each}
          disabledReason={disabledReason}
          toggle={() => void toggleReaction(subjectId, each.emoji, each.url)}
        />
      ))}
      <ReactButton subjectId={subjectId} disabledReason={disabledReason} />
      {reactions.length > 0 && (
        <button type="button" className="reaction who" aria-label="Who reacted" onClick={() => showList(true)}>
          <Icon name="people" size={14} />
        </button>
      )}
      {isListShown && <WhoReacted subjectId={subjectId} close={() => showList(false)} />}
    </div>
  )
}

interface ChipProps {
  reaction: EmojiCount
  disabledReason: string | undefined
  toggle(): void
}

function Chip({ reaction, disabledReason, toggle }: ChipProps) {
  const { emoji, url, count, has_reacted } = reaction
  const who = `${listNames(reaction)} reacted with ${formatEmoji(emoji)}`
  return (
    <Tip text={disabledReason ? `${who}. ${disabledReason}` : who}>
      <button
        type="button"
        className="reaction"
        aria-pressed={has_reacted}
        aria-disabled={disabledReason ? true : undefined}
        // The label contains the visible text, for people who use voice control.
        aria-label={`${who}, ${count.toLocaleString()}`}
        onClick={() => !disabledReason && toggle()}
      >
        <EmojiImage emoji={emoji} url={url} />
        {/* The label names or counts everyone. */}
        <span className="count" aria-hidden>
          {count.toLocaleString()}
        </span>
      </button>
    </Tip>
  )
}

/** “Ada, Ben and 3 others” */
function listNames({ names, count }: Pick<EmojiCount, 'names' | 'count'>): string {
  const others = count - names.length
  const all = others > 0 ? [...names, `${others} ${others === 1 ? 'other' : 'others'}`] : names
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
