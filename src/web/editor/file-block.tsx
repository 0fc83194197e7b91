import { type KeyboardEvent, useRef, useState } from 'react'
import { describeFile, fileKind } from '../../contract/browser/file-facts'
import { useFile } from '../data/files'
import { getLocalFile } from '../data/uploads'
import { Button } from '../parts/button'
import { getFileIcon, mayHaveGeolocation } from '../parts/file-kind'
import { Icon } from '../parts/icon'
import { useObjectUrl } from '../parts/use-object-url'
import { fileUrls } from '../paths'

interface Props {
  id: string
  label: string
  isShown: boolean
  isSelected: boolean
  /** Whether it was inserted while this text was being written. Such a picture asks to be described. */
  isNew: boolean
  describe(label: string): void
  /** `name` is that of the file that goes. */
  replace(file: File, name: string): void
  remove(): void
  /** Gives the focus back to the text. */
  leave(): void
}

/** A file in a text that is being written. */
export function FileBlock({ id, label, isShown, isSelected, isNew, describe, replace, remove, leave }: Props) {
  const { data: file, error } = useFile(id)
  const input = useRef<HTMLInputElement>(null)
  const name = file?.name ?? label
  const kind = file ? fileKind(file) : 'other'
  const isPicture = isShown && kind === 'image'
  // Until someone describes it, the alt text of a picture is its name.
  const description = label === name.replace(/\s+/g, ' ') ? '' : label
  const [isDescribing, setDescribing] = useState(false)
  const asks = isPicture && isNew && (description === '' || isDescribing)
  return (
    <>
      {isPicture ? (
        <Picture id={id} alt={label} name={name} width={file!.width} height={file!.height} />
      ) : (
        <p className="file-card">
          {/* Not a link: it is part of a text that is being written. */}
          <span className="file-card-box">
            <Icon name={getFileIcon(name)} size={24} />
            <span className="file-name">{label || name || 'File'}</span>
            <span className="file-facts">
              {file ? describeFile(file) : error ? 'This file is no longer available.' : 'Loading…'}
            </span>
          </span>
        </p>
      )}
      {(isSelected || asks) && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves the controls.
        <div
          className="file-tools"
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            leave()
          }}
        >
          {isSelected && (
            <>
              <div className="file-actions">
                <Button variant="plain" label={`Replace ${name}`} onClick={() => input.current!.click()}>
                  Replace
                </Button>
                <Button variant="plain" label={`Remove ${name}`} onClick={remove}>
                  Remove
                </Button>
              </div>
              <input
                ref={input}
                type="file"
                hidden
                accept={isPicture ? 'image/*' : undefined}
                aria-label={`Replace ${name}`}
                onChange={({ target }) => {
                  if (target.files?.[0]) replace(target.files[0], name)
                  target.value = ''
                }}
              />
            </>
          )}
          {isPicture && (
            <label className="file-alt">
              <span>Alt text</span>
              <input
                aria-label={`Description of ${name}`}
                placeholder="Describe this image for people who cannot see it"
                maxLength={500}
                value={description}
                onFocus={() => setDescribing(true)}
                onBlur={() => setDescribing(false)}
                onChange={({ target }) => describe(target.value)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
                  event.preventDefault()
                  event.stopPropagation()
                  leave()
                }}
              />
            </label>
          )}
          {isSelected && file && mayHaveGeolocation(file) && (
            <p className="meta">Its metadata is kept. It can include the place where it was taken.</p>
          )}
        </div>
      )}
    </>
  )
}

interface PictureProps {
  id: string
  alt: string
  name: string
  width: number | null
  height: number | null
}

/** A picture as readers see it; from memory if it was chosen in this window. */
function Picture({ id, alt, name, width, height }: PictureProps) {
  const local = getLocalFile(id)
  const url = useObjectUrl(local) ?? (local ? undefined : fileUrls.preview(id, 'large'))
  const size = width && height ? { '--width': String(width), '--ratio': String(width / height) } : {}
  return (
    <figure className="file-image">
      {url && <img src={url} alt={alt || name} draggable={false} style={size as React.CSSProperties} />}
    </figure>
  )
}
