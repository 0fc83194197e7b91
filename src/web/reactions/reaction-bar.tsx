import { useState } from 'react'
import { isCustomEmojiName } from '../../contract/browser/constants'
import type { EmojiCount } from '../../contract/reactions'
import { toggleReaction, useReactions, useWhoReacted } from '../data/reactions'
import { Avatar } from '../parts/avatar'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { Icon } from '../parts/icon'
import { Loading, ProblemNote, Skeleton } from '../parts/states'
import { Tip } from '../parts/tip'
import { ReactButton } from './react-button'

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

/** Who reacted to a record, and with what. */
function WhoReacted({ subjectId, close }: { subjectId: string; close(): void }) {
  const query = useWhoReacted(subjectId)
  const urls = new Map(useReactions(subjectId).map(({ emoji, url }) => [emoji, url]))
  const all = query.data?.pages.flatMap(({ data }) => data)
  return (
    <Dialog title="Reactions" onClose={close}>
      {query.error && <ProblemNote error={query.error} retry={() => void query.refetch()} />}
      {all ? (
        <ul className="who-reacted">
          {all.map(({ emoji, author }) => (
            <li key={`${author.id} ${emoji}`}>
              <Avatar of={author} size={28} />
              <span className="who">{author.name}</span>
              <EmojiImage emoji={emoji} url={urls.get(emoji) ?? null} />
            </li>
          ))}
        </ul>
      ) : (
        <Loading what="reactions">
          <Skeleton width="60%" />
        </Loading>
      )}
      {query.hasNextPage && <Button onClick={() => void query.fetchNextPage()}>Show more</Button>}
    </Dialog>
  )
}

/** An emoji as text. For a custom emoji, its name. */
const formatEmoji = (emoji: string) => (isCustomEmojiName(emoji) ? `:${emoji}:` : emoji)

/** An emoji, the picture of a custom emoji, or its name if it was deleted. */
const EmojiImage = ({ emoji, url }: { emoji: string; url: string | null }) =>
  url ? (
    <img className="custom-emoji" src={url} alt={formatEmoji(emoji)} width={18} height={18} />
  ) : (
    <span className="emoji-text">{formatEmoji(emoji)}</span>
  )
