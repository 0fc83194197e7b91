import { useEdit } from '../../data/edits'
import { Time } from '../../parts/time'

/** When a post or a comment was edited, if it was. */
export function EditedMark({ id, isEnabled }: { id: string; isEnabled: boolean }) {
  const edit = useEdit(id, isEnabled)
  return edit?.edited_at ? (
    <span className="edited">
      edited <Time at={edit.edited_at} />
    </span>
  ) : null
}
