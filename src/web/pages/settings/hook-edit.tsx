import { useMutation } from '@tanstack/react-query'
import type { Hook } from '../../../contract/hooks'
import { removeHookPicture, renameHook, setHookPicture } from '../../data/hooks'
import { Avatar } from '../../parts/avatar'
import { Dialog } from '../../parts/dialog'
import { getFieldError, NameField } from '../../parts/field'
import { DialogForm } from '../../parts/form-dialog'
import { isGenerated } from './avatar-form'
import { PICTURE_SIZE, PictureForm } from './picture-form'

/** The name and the picture of an incoming webhook. */
export function HookEdit({ hook, close }: { hook: Hook; close(): void }) {
  const renaming = useMutation({ mutationFn: (name: string) => renameHook(hook, name), onSuccess: close })
  const error = getFieldError(renaming.error, 'name')
  return (
    <Dialog title={`Edit ${hook.name}`} onClose={close}>
      <PictureForm
        what="picture"
        className="avatar"
        current={<Avatar of={hook.author} size={PICTURE_SIZE} />}
        removeDeniedReason={
          isGenerated(hook.author.avatar_urls.base) ? 'It has no picture. These are its initials.' : undefined
        }
        save={(picture) => setHookPicture(hook, picture)}
        remove={() => removeHookPicture(hook)}
      />
      <DialogForm
        label="Save"
        close={close}
        send={(form) => renaming.mutate(String(form.get('name')).trim())}
        isPending={renaming.isPending}
        error={error ? undefined : renaming.error}
      >
        <NameField defaultValue={hook.name} error={error} />
      </DialogForm>
    </Dialog>
  )
}
