import { type MouseEvent, type ReactNode, type RefObject, useState } from 'react'
import { useSearch } from 'wouter'
import { describeFile, fileKind } from '../../../contract/browser/file-facts'
import { keys } from '../../data/cache/keys'
import { useChannel } from '../../data/channels'
import { type FileLocation, type FileRecord, useFiles } from '../../data/files'
import { getFileIcon } from '../../parts/file-kind'
import { Icon } from '../../parts/icon'
import { useOpenImage } from '../../parts/open-image'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { fileUrls } from '../../paths'
import { FeedFilters } from '../feed/feed-filters'
import { FeedHead, NoChannel } from '../feed/feed-head'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'

/** The files of a channel, newest first. */
export default function ChannelFilesPage({ channelId }: { channelId: string }) {
  const query = new URLSearchParams(useSearch())
  const { channel, isMissing } = useChannel(channelId)
  if (isMissing) return <NoChannel />
  query.delete('image')
  return (
    <main className="page feed" id="main">
      <FeedHead title={channel ? `Files in ${channel.name}` : 'Files'} heading={channel?.name} channel={channel}>
        <FeedFilters query={query} channelId={channelId} />
      </FeedHead>
      <Files location={{ channel_id: channelId }} />
    </main>
  )
}

function Files({ location }: { location: FileLocation }) {
  const from = useStartCursor(keys.filesOf(location))
  const files = useFiles(location, from)
  if (files.error && !files.data) return <ProblemNote error={files.error} retry={() => void files.refetch()} />
  if (!files.data) return <TileSkeleton count={8} />
  if (files.records.length === 0 && !files.hasPreviousPage)
    return <Empty title="No files yet">Files in the posts and comments of this channel appear here.</Empty>
  const renderGrid = (list: RefObject<HTMLElement | null>, children: ReactNode) => (
    <ol ref={list as RefObject<HTMLOListElement>} className="infinite-list file-grid" aria-label="Files">
      {children}
    </ol>
  )
  return (
    <InfiniteList name="Files" pages={files} skeleton={<TileSkeleton count={4} />} renderContainer={renderGrid}>
      {(file) => <FileTile key={file.id} file={file} />}
    </InfiniteList>
  )
}

const TileSkeleton = ({ count }: { count: number }) => (
  <Loading what="files">
    <div className="file-grid">
      {Array.from({ length: count }, (_, at) => (
        <Skeleton key={at} height={120} />
      ))}
    </div>
  </Loading>
)

/** A file in the list of a channel: images open in the lightbox, others are downloaded. */
function FileTile({ file }: { file: FileRecord }) {
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
