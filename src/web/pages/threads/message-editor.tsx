import type { Message } from '../../../contract/messages'
import { Composer } from '../../composer/composer'
import { draftKeys } from '../../data/drafts'
import { useSource } from '../../data/markdown'
import { updateMessage } from '../../data/messages'
import { usePreferences } from '../../data/preferences'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { sources } from '../../paths'

interface Props {
  message: Message
  edit(message: undefined): void
}

/** A message while it is being edited. */
export function MessageEditor({ message, edit }: Props) {
  const source = useSource(sources.message(message.id), message.content)
  const { enter_sends } = usePreferences()
  const done = () => edit(undefined)
  if (source.error) return <ProblemNote error={source.error} retry={() => void source.refetch()} />
  if (source.data === undefined)
    return (
      <Loading what="the message">
        <Skeleton width="60%" />
      </Loading>
    )
  return (
    <Composer
      draftKey={draftKeys.edit(message.id)}
      sendsOnEnter={enter_sends}
      label="Edit message"
      submitLabel="Save"
      initial={source.data}
      rows={2}
      autoFocus
      onCancel={done}
      onSubmit={async (markdown) => {
        await updateMessage(message.id, markdown)
        done()
      }}
    />
  )
}
