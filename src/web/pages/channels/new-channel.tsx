import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useLocation } from 'wouter'
import { createChannel } from '../../data/channels'
import { Button } from '../../parts/button'
import { Check } from '../../parts/check'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { ProblemNote } from '../../parts/states'
import { wrongName } from './channel-name'

export function NewChannel({ close }: { close(): void }) {
  const [, navigate] = useLocation()
  const create = useMutation({
    mutationFn: ({ name, isPrivate }: { name: string; isPrivate: boolean }) => createChannel(name, isPrivate),
    onSuccess: ({ id }) => navigate(`/channels/${id}`, { replace: true }),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    create.mutate({ name: String(form.get('name')), isPrivate: form.has('private') })
  }
  const wrong = wrongName(create.error)
  return (
    <Dialog title="New channel" onClose={close}>
      <form className="form" onSubmit={submit}>
        <Field
          label="Name"
          name="name"
          maxLength={80}
          required
          autoFocus
          autoComplete="off"
          wrong={wrong}
          hint="What its posts will be about, in a word or two."
        />
        <Check name="private" label="Private" hint="Only those who are added see it and its posts. You are in it." />
        {create.error && !wrong && <ProblemNote error={create.error} />}
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" disabled={create.isPending}>
            Create channel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
