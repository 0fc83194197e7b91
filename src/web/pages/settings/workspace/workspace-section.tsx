import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useMe } from '../../../data/me'
import { removeWorkspaceIcon, renameWorkspace, setWorkspaceIcon } from '../../../data/workspace'
import { Button } from '../../../parts/button'
import { Field, getFieldError } from '../../../parts/field'
import { ProblemNote } from '../../../parts/states'
import { useEditedText } from '../../../parts/use-edited-text'
import { WorkspaceIcon } from '../../../parts/workspace-icon'
import { PictureForm } from '../picture-form'
import { EmojiSection } from './emoji-section'

/** Icon and name of the workspace, which everyone sees in the sidebar and on the sign-in page. */
export function WorkspaceSection() {
  const { name, icon_url } = useMe().workspace
  return (
    <>
      <p className="meta">
        Everyone sees the name and the icon in the sidebar. If this is the only workspace on the server, the sign-in
        page shows them, too.
      </p>
      <PictureForm
        what="icon"
        className="workspace-icon large"
        current={
          <span className="workspace-icon-large">
            <WorkspaceIcon name={name} src={icon_url} />
          </span>
        }
        removeDeniedReason={icon_url ? undefined : 'There is no icon. This is the first letter of the name.'}
        save={setWorkspaceIcon}
        remove={removeWorkspaceIcon}
      />
      <NameForm name={name} />
      <EmojiSection />
    </>
  )
}

function NameForm({ name }: { name: string }) {
  const [text, setText] = useEditedText(name)
  const save = useMutation({ mutationFn: renameWorkspace })
  const fieldError = getFieldError(save.error, 'name')
  const isUnchanged = text.trim() === name
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isUnchanged) save.mutate(text)
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="field-and-button">
        <Field
          label="Workspace name"
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={100}
          required
          autoComplete="organization"
          error={fieldError}
        />
        <Button
          type="submit"
          disabled={save.isPending}
          disabledReason={isUnchanged ? 'Nothing has changed yet.' : undefined}
        >
          Save
        </Button>
      </div>
      {save.error && !fieldError && <ProblemNote error={save.error} />}
    </form>
  )
}
