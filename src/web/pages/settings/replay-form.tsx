import { useMutation } from '@tanstack/react-query'
import type { Webhook } from '../../../contract/webhooks'
import { replay } from '../../data/webhooks'
import { Field, getFieldError } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'

/** Sends all events after a given one again. */
export function ReplayForm({ webhook, close }: { webhook: Webhook; close(): void }) {
  const replaying = useMutation({ mutationFn: (after: string) => replay(webhook, after), onSuccess: close })
  const fieldError = getFieldError(replaying.error, 'after')
  return (
    <FormDialog
      title="Replay events"
      label="Replay"
      close={close}
      send={(form) => replaying.mutate(String(form.get('after')).trim())}
      isPending={replaying.isPending}
      error={fieldError ? undefined : replaying.error}
    >
      <Field
        label="Replay after event"
        name="after"
        required
        autoFocus
        autoComplete="off"
        error={fieldError}
        hint="The id of an event, as shown in its delivery. All later events are sent again."
      />
    </FormDialog>
  )
}
