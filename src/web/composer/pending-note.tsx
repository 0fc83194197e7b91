import { isOnItsWay, type Waiting } from '../data/cache/queue'

/** What becomes of something that the server has not confirmed yet. */
export const PendingNote = ({ entry }: { entry: Waiting }) => (
  <p className="meta">{entry.problem ?? (isOnItsWay(entry) ? 'Sending…' : 'Will be sent when you are back online')}</p>
)
