import { useState } from 'react'
import type { MentionNote } from '../data/audience'
import { Icon } from '../parts/icon'
import type { ComposerState } from './use-composer'

/** Who of those who are mentioned cannot see the text, and how many a mention of many reaches: told before it is sent. */
export const MentionNotes = ({ state: { mentions, submit } }: { state: ComposerState }) => (
  <div className="mention-notes" role="status">
    {mentions.notes.map((note) => (
      <Note key={note.key} note={note} mentions={mentions} />
    ))}
    {mentions.isStopped && (
      <p>
        Not sent yet.{' '}
        <button type="button" className="text-button" onClick={submit}>
          Send anyway
        </button>
      </p>
    )}
  </div>
)

interface NoteProps {
  note: MentionNote
  mentions: ComposerState['mentions']
}

function Note({ note: { text, isWarning, people, hasMore }, mentions }: NoteProps) {
  const [isAdding, setAdding] = useState(false)
  async function add() {
    setAdding(true)
    await mentions.add(people)
    setAdding(false)
  }
  return (
    <p className={isWarning ? 'warning' : undefined}>
      <Icon name={isWarning ? 'warning' : 'bell'} size={14} />
      <span>
        {text}{' '}
        {people.length > 0 && (
          <button
            type="button"
            className="text-button"
            aria-disabled={isAdding || undefined}
            onClick={() => isAdding || void add()}
          >
            {isAdding ? 'Adding…' : `Add ${hasMore ? `${people.length} of them ` : ''}to ${mentions.place!.name}`}
          </button>
        )}
      </span>
    </p>
  )
}
