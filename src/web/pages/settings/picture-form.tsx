import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { PICTURE_TYPES } from '../../../contract/browser/file-facts'
import { cropToSquare, removeAvatar, setAvatar, useMe } from '../../data/me'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { useDropTarget } from '../../parts/drop-targets'
import { notifyProblem } from '../../parts/notices'
import { ProblemNote } from '../../parts/states'
import { useObjectUrl } from '../../parts/use-object-url'

export const PICTURE_SIZE = 72

interface Props {
  /** What it is called: “picture” or “icon”. */
  what: string
  current: ReactNode
  className?: string
  changeDeniedReason?: string
  removeDeniedReason?: string
  save(picture: Blob): Promise<void>
  remove(): Promise<void>
}

/** A form for a square picture: choose or drop it, see a preview, and save or remove it. */
export function PictureForm({ what, current, className = '', save, remove, ...denied }: Props) {
  const section = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [chosen, choose] = useState<Blob>()
  const [isUnreadable, setUnreadable] = useState(false)
  const clear = () => {
    choose(undefined)
    input.current!.value = ''
  }
  const saving = useMutation({ mutationFn: save, onSuccess: clear })
  const removing = useMutation({
    mutationFn: remove,
    onError: (error) => notifyProblem(`The ${what} was not removed.`, error),
  })
  async function preview(file: File | undefined) {
    if (!file) return
    saving.reset()
    const square = await cropToSquare(file).catch(() => undefined)
    setUnreadable(square === undefined)
    choose(square)
  }
  const add = ([file]: File[]) => void preview(file)
  useDropTarget(section, denied.changeDeniedReason ? undefined : { action: `use one as the ${what}`, add })
  const title = what[0]!.toUpperCase() + what.slice(1)
  return (
    <section ref={section} className="form" aria-label={title}>
      <div className="row picture">
        {chosen ? <Preview of={chosen} className={className} /> : current}
        {chosen ? (
          <>
            <Button variant="primary" disabled={saving.isPending} onClick={() => saving.mutate(chosen)}>
              {saving.isPending ? 'Uploading…' : `Use this ${what}`}
            </Button>
            <Button onClick={clear}>Cancel</Button>
          </>
        ) : (
          <>
            <Button disabledReason={denied.changeDeniedReason} onClick={() => input.current!.click()}>
              {`Upload ${what}`}
            </Button>
            <Button
              variant="plain"
              disabled={removing.isPending}
              disabledReason={denied.changeDeniedReason ?? denied.removeDeniedReason}
              onClick={() => removing.mutate()}
            >
              Remove
            </Button>
          </>
        )}
        <input
          ref={input}
          type="file"
          accept={PICTURE_TYPES.join()}
          aria-label={`${title} file`}
          className="visually-hidden"
          tabIndex={-1}
          onChange={({ target }) => void preview(target.files?.[0])}
        />
      </div>
      {isUnreadable && (
        <p className="field-error" role="alert">
          This file is not a supported picture. Use PNG, JPEG, WebP or GIF.
        </p>
      )}
      {saving.error && <ProblemNote error={saving.error} />}
    </section>
  )
}

const Preview = ({ of, className }: { of: Blob; className: string }) => (
  <img className={className} src={useObjectUrl(of)} width={PICTURE_SIZE} height={PICTURE_SIZE} alt="Preview" />
)

/** The member’s picture. */
export function AvatarForm() {
  const { author } = useMe()
  return (
    <PictureForm
      what="picture"
      className="avatar"
      current={<Avatar of={author} size={PICTURE_SIZE} />}
      removeDeniedReason={
        isGenerated(author.avatar_urls.base) ? 'You have no picture. These are your initials.' : undefined
      }
      save={setAvatar}
      remove={removeAvatar}
    />
  )
}

/** Whether it shows initials, which the server renders as SVG. */
export const isGenerated = (url: string) => new URL(url, location.href).pathname.endsWith('.svg')
