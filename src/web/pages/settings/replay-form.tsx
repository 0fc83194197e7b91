import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Webhook } from '../../../contract/webhooks'
import { replay } from '../../data/webhooks'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field, getFieldError } from '../../parts/field'
import { ProblemNote } from '../../parts/states'

/** Sends all events after a given one again. */
export function ReplayForm({ webhook, close }: { webhook: Webhook; close(): void }) {
  const replaying = useMutation({ mutationFn: (after: string) => replay(webhook, after), onSuccess: close })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    replaying.mutate(String(new FormData(event.currentTarget).get('after')).trim())
  }
  const fieldError = getFieldError(replaying.error, 'after')
  return (
    <Dialog title="Replay events" onClose={close}>
      <form className="form" onSubmit={submit}>
        <Field
          label="Replay after event"
          name="after"
          required
          autoFocus
          autoComplete="off"
          error={fieldError}
          hint="The id of an event, as shown in its delivery. All later events are sent again."
        />
        {replaying.error && !fieldError && <ProblemNote error={replaying.error} />}
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={replaying.isPending}>
            Replay
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
