import type { Message } from '../../../contract/messages'
import { usePermissions } from '../../data/me'
import { deleteMessage } from '../../data/messages'
import { markUnread } from '../../data/reads'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { Menu } from '../../parts/menu'
import { paths } from '../../paths'
import { ReactButton } from '../../reactions/react-button'

interface Props {
  message: Message
  edit(message: Message): void
  reply(message: Message): void
}

/** What can be done with a message. */
export function MessageActions({ message, edit, reply }: Props) {
  const { writeDeniedReason, changeDeniedReason } = usePermissions()
  const [question, confirm] = useConfirm()
  const disabledReason = changeDeniedReason(message.author)
  const remove = () =>
    confirm({
      title: 'Delete this message?',
      text: 'It will be deleted for everyone in the thread. This cannot be undone.',
      label: 'Delete',
      run: () => void deleteMessage(message),
    })
  return (
    <div className="message-actions">
      <ReactButton subjectId={message.id} disabledReason={writeDeniedReason} className="button plain icon" />
      <Button
        icon="reply"
        variant="plain"
        label="Reply"
        disabledReason={writeDeniedReason}
        onClick={() => reply(message)}
      />
      <Menu
        label="Message actions"
        entries={[
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.thread(message.thread_id, message.id)) },
          { label: 'Mark as unread', icon: 'unread', run: () => void markUnread(message.thread_id, message.id) },
          { label: 'Edit', icon: 'edit', disabledReason, run: () => edit(message) },
          { label: 'Delete', icon: 'trash', isDanger: true, disabledReason, run: remove },
        ]}
      />
      {question}
    </div>
  )
}
