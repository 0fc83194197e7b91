import { useEdit } from '../../data/edits'
import { Time } from '../../parts/time'
import { Via } from '../../parts/via'

/** What wrote a post or a comment, if not its author alone, and when it was edited, if it was. */
export function EditedMark({ id, isEnabled }: { id: string; isEnabled: boolean }) {
  const edit = useEdit(id, isEnabled)
  return (
    <>
      <Via name={edit?.via} />
      {edit?.edited_at && (
        <span className="edited">
          edited <Time at={edit.edited_at} />
        </span>
      )}
    </>
  )
}
