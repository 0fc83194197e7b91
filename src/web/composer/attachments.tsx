import type { ReactNode } from 'react'
import { fileKind, formatSize, SHOWN_IMAGES } from '../../contract/browser/file-facts'
import { type FileReference, findReferences, removeReference, setLabel, useFile } from '../data/files'
import { cancelUpload, getLocalFile, type Upload } from '../data/uploads'
import { Button } from '../parts/button'
import { getFileIcon, mayHaveGeolocation } from '../parts/file-kind'
import { Icon } from '../parts/icon'
import { useObjectUrl } from '../parts/use-object-url'
import { fileUrls } from '../paths'

interface Props {
  text: string
  onText(text: string): void
  uploads: readonly Upload[]
}

/** The files of a text: first current uploads, then the files that the text references. */
export function Attachments({ text, onText, uploads }: Props) {
  const references = text.includes('](file_') ? findReferences(text) : []
  const running = uploads.filter(({ state }) => state !== 'failed').length
  return (
    <>
      <p className="visually-hidden" role="status">
        {running > 0 && `Uploading ${running === 1 ? '1 file' : `${running} files`}…`}
      </p>
      {(references.length > 0 || uploads.length > 0) && (
        <ul className="attachments" aria-label="Files">
          {uploads.map((upload) => (
            <Uploading key={upload.id} upload={upload} />
          ))}
          {references.map((reference) => (
            <Attached
              key={reference.fileId}
              reference={reference}
              describe={(label) => onText(setLabel(text, reference.fileId, label))}
              remove={() => onText(removeReference(text, reference.fileId))}
            />
          ))}
        </ul>
      )}
    </>
  )
}

interface AttachedProps {
  reference: FileReference
  describe(label: string): void
  remove(): void
}

/** A file that the text references. */
function Attached({ reference: { fileId, label, isShown }, describe, remove }: AttachedProps) {
  const { data: file, error } = useFile(fileId)
  const local = getLocalFile(fileId)
  const name = file?.name ?? label
  const isImage = file !== undefined && fileKind(file) === 'image'
  return (
    <Row
      picture={<Thumbnail name={name} local={local} src={isImage ? fileUrls.preview(fileId, 'small') : undefined} />}
      name={name || 'File'}
      facts={file ? formatSize(file.size) : error ? 'This file is no longer available.' : 'Loading…'}
      actions={<Button icon="close" variant="plain" label={`Remove ${name}`} onClick={remove} />}
    >
      {file && mayHaveGeolocation(file) && (
        <p className="meta">Its metadata is kept. It can include the place where it was taken.</p>
      )}
      {isImage && isShown && (
        <input
          className="input attachment-alt"
          aria-label={`Description of ${name}`}
          placeholder="Describe this image"
          maxLength={500}
          // Until someone describes it, the alt text of a picture is its name.
          value={label === name ? '' : label}
          onChange={({ target }) => describe(target.value)}
        />
      )}
    </Row>
  )
}

/** A file that is being uploaded, or that could not be uploaded. */
function Uploading({ upload: { id, file, state, sentBytes, reason, isLost } }: { upload: Upload }) {
  const isFailed = state === 'failed'
  const cancel = () => cancelUpload(id)
  return (
    <Row
      className={isFailed ? 'failed' : undefined}
      picture={<Thumbnail name={file.name} local={file} />}
      name={file.name}
      facts={isFailed ? undefined : describeProgress(state, sentBytes, file.size)}
      actions={
        <Button
          icon="close"
          variant="plain"
          label={`${isFailed ? 'Remove' : 'Cancel'} ${file.name}`}
          onClick={cancel}
        />
      }
    >
      {isFailed && isLost ? (
        // Said beside the button of the editor.
        <p className="attachment-reason">{formatSize(file.size)} · not uploaded</p>
      ) : isFailed ? (
        <p className="attachment-reason" role="alert">
          {reason}
        </p>
      ) : (
        <progress max={file.size} value={Math.min(sentBytes, file.size)} aria-label={`Uploading ${file.name}`} />
      )}
    </Row>
  )
}

function describeProgress(state: Upload['state'], sentBytes: number, size: number): string {
  if (state === 'waiting') return `Waiting · ${formatSize(size)}`
  // All bytes were sent, but the server still has to inspect and store them.
  if (sentBytes >= size) return `Finishing · ${formatSize(size)}`
  return `${Math.floor((sentBytes / size) * 100)}% of ${formatSize(size)}`
}

interface RowProps {
  className?: string
  picture: ReactNode
  name: string
  facts: string | undefined
  actions: ReactNode
  children: ReactNode
}

const Row = ({ className = '', picture, name, facts, actions, children }: RowProps) => (
  <li className={`attachment ${className}`}>
    {picture}
    <div className="attachment-body">
      <p className="attachment-line">
        <span className="attachment-name" title={name}>
          {name}
        </span>
        {facts && <span className="meta">{facts}</span>}
      </p>
      {children}
    </div>
    <div className="attachment-actions">{actions}</div>
  </li>
)

/** Larger pictures take too long to decode in the browser. They have an icon until the server has made a preview. */
const MAX_LOCAL_BYTES = 20 * 1024 * 1024

/** Shows a picture from memory if it was chosen in this window, otherwise from the server. Other files have an icon. */
function Thumbnail({ name, local, src }: { name: string; local?: File; src?: string }) {
  const isLocal = local && SHOWN_IMAGES.includes(local.type) && local.size <= MAX_LOCAL_BYTES
  const url = useObjectUrl(isLocal ? local : undefined) ?? src
  return (
    <span className="attachment-picture">
      {url ? <img src={url} alt="" width={44} height={44} /> : <Icon name={getFileIcon(name)} size={20} />}
    </span>
  )
}
