import { type DraftState, useDraftState } from '../data/draft-state'
import { Icon } from '../parts/icon'

const notes: Record<DraftState, string> = {
  none: '',
  saving: 'Saving draft…',
  saved: 'Draft saved',
  here: 'Saved on this device only',
}

/** Says where the draft is by now. */
export function DraftNote({ draftKey }: { draftKey: string }) {
  const state = useDraftState(draftKey)
  return (
    <p className="draft-note" role="status" title={state === 'here' ? HERE : undefined}>
      {state === 'saved' && <Icon name="check" size={14} />}
      {state === 'here' && <Icon name="offline" size={14} />}
      {notes[state]}
    </p>
  )
}

const HERE = 'The server cannot be reached. Your other devices get the draft as soon as it can.'
