import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { PICTURE_TYPES } from '../../../../contract/browser/file-facts'
import { addCustomEmoji, deleteCustomEmoji, useCustomEmoji } from '../../../data/emoji'
import { cropToSquare } from '../../../data/me'
import { Button } from '../../../parts/button'
import { useConfirm } from '../../../parts/dialog'
import { Field, getFieldError } from '../../../parts/field'
import { notifyProblem } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'

/** The custom emoji of the workspace, which admins add and delete. */
export function EmojiSection() {
  const emoji = useCustomEmoji()
  const [question, confirm] = useConfirm()
  const remove = (name: string) =>
    confirm({
      title: `Delete :${name}:?`,
      text: 'Reactions with it are kept, and show its name instead of its picture.',
      label: 'Delete',
      run: () => void deleteCustomEmoji(name).catch((error) => notifyProblem("Couldn't delete the emoji.", error)),
    })
  return (
    <section aria-labelledby="custom-emoji">
      {question}
      <h2 id="custom-emoji">Custom emoji</h2>
      <p className="meta">Everyone can react with them.</p>
      <ul className="emoji-settings">
        {emoji?.map(({ name, url }) => (
          <li key={name}>
            <img src={url} alt="" width={28} height={28} />
            <code>:{name}:</code>
            <Button icon="trash" variant="plain" label={`Delete :${name}:`} onClick={() => remove(name)} />
          </li>
        ))}
      </ul>
      <EmojiForm />
    </section>
  )
}

function EmojiForm() {
  const form = useRef<HTMLFormElement>(null)
  const [name, setName] = useState('')
  const [file, setFile] = useState<File>()
  const save = useMutation({
    mutationFn: async (picture: Blob) => addCustomEmoji(name, await cropToSquare(picture)),
    onSuccess: () => {
      setName('')
      setFile(undefined)
      form.current?.reset()
    },
  })
  const fieldError = getFieldError(save.error, 'name')
  function submit(event: FormEvent) {
    event.preventDefault()
    if (file && name) save.mutate(file)
  }
  return (
    <form ref={form} className="form" onSubmit={submit}>
      <Field
        label="Emoji name"
        hint="2 to 32 lower-case letters, digits, “_” or “-”."
        value={name}
        onChange={(event) => setName(event.target.value.toLowerCase().replaceAll(' ', '-'))}
        maxLength={32}
        required
        autoComplete="off"
        error={fieldError}
      />
      <label className="emoji-file">
        Picture
        <input
          type="file"
          accept={PICTURE_TYPES.join()}
          required
          onChange={({ target }) => setFile(target.files?.[0])}
        />
      </label>
      <div>
        <Button type="submit" disabled={save.isPending}>
          Add emoji
        </Button>
      </div>
      {save.error && !fieldError && <ProblemNote error={save.error} />}
    </form>
  )
}
