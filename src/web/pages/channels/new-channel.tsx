import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { createChannel } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Check } from '../../parts/check'
import { Field, NameField } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { paths } from '../../paths'
import { getNameError } from './name-error'

/** Creates a channel, and opens it. */
export function NewChannel({ name, close }: { name: string; close(): void }) {
  const [, navigate] = useLocation()
  const { isAdmin } = usePermissions()
  const create = useMutation({
    mutationFn: createChannel,
    onSuccess: ({ id }) => navigate(paths.channel(id), { replace: true }),
  })
  const fieldError = getNameError(create.error)
  return (
    <FormDialog
      title="Create a channel"
      label="Create channel"
      close={close}
      send={(form) =>
        create.mutate({
          name: String(form.get('name')),
          description: String(form.get('description')),
          ...(form.has('private') && { private: true }),
        })
      }
      isPending={create.isPending}
      error={fieldError ? undefined : create.error}
    >
      <NameField
        maxLength={80}
        autoFocus
        defaultValue={name}
        error={fieldError}
        hint="A word or two, such as “design” or “press”."
      />
      <Field label="Description (optional)" name="description" maxLength={500} autoComplete="off" />
      {isAdmin && <Check name="private" label="Private" hint="Only people who are added can see it and its posts." />}
    </FormDialog>
  )
}
