import { type MouseEvent, useState } from 'react'
import { describeFile, fileKind } from '../../../contract/browser/file-facts'
import type { FileRecord } from '../../data/files'
import { getFileIcon } from '../../parts/file-kind'
import { Icon } from '../../parts/icon'
import { useOpenImage } from '../../parts/open-image'
import { Time } from '../../parts/time'
import { fileUrls } from '../../paths'

/** A file in the list of a channel: images open in the lightbox, others are downloaded. */
export function FileTile({ file }: { file: FileRecord }) {
  const { id, name, uploader, created_at } = file
  const isImage = fileKind(file) === 'image'
  return (
    <li id={id} className="file-tile">
      {isImage ? (
        <ImageLink id={id} name={name} />
      ) : (
        <a className="file-tile-link" href={fileUrls.download(id)} aria-label={`Download ${name}`} data-row>
          <Icon name={getFileIcon(name)} size={28} />
        </a>
      )}
      <p className="file-tile-name" title={name} dir="auto">
        {name}
      </p>
      <p className="meta">{describeFile(file)}</p>
      <p className="meta">
        {uploader.name} · <Time at={created_at} isShort />
      </p>
    </li>
  )
}

function ImageLink({ id, name }: { id: string; name: string }) {
  const openImage = useOpenImage()
  const [isBroken, setBroken] = useState(false)
  function open(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    openImage(id)
  }
  return (
    <figure className="file-image" data-file={id}>
      <a
        className="file-tile-link"
        href={fileUrls.original(id)}
        aria-label={`Open image: ${name}`}
        data-row
        onClick={open}
      >
        {isBroken ? (
          <Icon name="file-image" size={32} />
        ) : (
          <img src={fileUrls.preview(id, 'small')} alt={name} loading="lazy" onError={() => setBroken(true)} />
        )}
      </a>
    </figure>
  )
}
