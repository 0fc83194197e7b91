import { useMutation } from '@tanstack/react-query'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { useMe } from '../../data/me'
import { cropToSquare } from '../../data/picture'
import { removeAvatar, setAvatar } from '../../data/profile'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { notifyProblem } from '../../parts/notices'
import { ProblemNote } from '../../parts/states'

const SIZE = 72

/** The member's picture: choose, preview and save it, or remove it. */
export function AvatarForm() {
  const { author } = useMe()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, choose] = useState<Blob>()
  const [isUnreadable, setUnreadable] = useState(false)
  const clear = () => {
    choose(undefined)
    input.current!.value = ''
  }
  const save = useMutation({ mutationFn: setAvatar, onSuccess: clear })
  const remove = useMutation({
    mutationFn: removeAvatar,
    onError: (error) => notifyProblem('The picture was not removed.', error),
  })
  async function preview({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0]
    if (!file) return
    save.reset()
    const square = await cropToSquare(file).catch(() => undefined)
    setUnreadable(square === undefined)
    choose(square)
  }
  return (
    <section className="form" aria-label="Picture">
      <div className="row picture">
        {chosen ? <Preview of={chosen} /> : <Avatar of={author} size={SIZE} />}
        {chosen ? (
          <>
            <Button variant="primary" disabled={save.isPending} onClick={() => save.mutate(chosen)}>
              Use this picture
            </Button>
            <Button onClick={clear}>Cancel</Button>
          </>
        ) : (
          <>
            <Button onClick={() => input.current!.click()}>Choose a picture</Button>
            <Button
              variant="plain"
              disabled={remove.isPending}
              disabledReason={
                isGenerated(author.avatar_urls.base) ? 'You have no picture. These are your initials.' : undefined
              }
              onClick={() => remove.mutate()}
            >
              Remove
            </Button>
          </>
        )}
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label="Picture file"
          className="visually-hidden"
          tabIndex={-1}
          onChange={(event) => void preview(event)}
        />
      </div>
      {isUnreadable && (
        <p className="field-error" role="alert">
          This file is not a supported picture. Use PNG, JPEG, WebP or GIF.
        </p>
      )}
      {save.error && <ProblemNote error={save.error} />}
    </section>
  )
}

/** Whether it shows initials, which the server renders as SVG. */
const isGenerated = (url: string) => new URL(url, location.href).pathname.endsWith('.svg')

function Preview({ of }: { of: Blob }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(of)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [of])
  return <img className="avatar" src={url} width={SIZE} height={SIZE} alt="Preview" />
}
