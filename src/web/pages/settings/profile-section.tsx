import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useMe } from '../../data/me'
import { useMember } from '../../data/members'
import { updateName } from '../../data/profile'
import { Button } from '../../parts/button'
import { Field, getFieldError } from '../../parts/field'
import { ProblemNote } from '../../parts/states'
import { AvatarForm } from './avatar-form'

/** Name, picture, e-mail address and role of the member. */
export function ProfileSection() {
  const { author, role } = useMe()
  const member = useMember(author.id)
  return (
    <>
      <AvatarForm />
      <NameForm key={author.name} name={author.name} />
      <dl className="details-list">
        <dt>E-mail</dt>
        <dd>{member.data?.user.email ?? '…'}</dd>
        <dt>Role</dt>
        <dd className="capital">{role}</dd>
      </dl>
      <p className="meta">An admin can change your role. Your e-mail address cannot be changed.</p>
    </>
  )
}

function NameForm({ name }: { name: string }) {
  const [text, setText] = useState(name)
  const save = useMutation({ mutationFn: updateName })
  const fieldError = getFieldError(save.error, 'display_name')
  function submit(event: FormEvent) {
    event.preventDefault()
    save.mutate(text)
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="field-and-button">
        <Field
          label="Name"
          name="name"
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={100}
          required
          autoComplete="name"
          error={fieldError}
        />
        <Button
          type="submit"
          disabled={save.isPending}
          disabledReason={text.trim() === name ? 'This is already your name.' : undefined}
        >
          Save
        </Button>
      </div>
      {save.error && !fieldError && <ProblemNote error={save.error} />}
    </form>
  )
}
