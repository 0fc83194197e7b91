import type { ReactNode, RefObject } from 'react'
import { useSearch } from 'wouter'
import { useChannel, useChannels } from '../../data/channels'
import { type FilePlace, filesKey, useFiles } from '../../data/files'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { FeedFilters } from '../feed/feed-filters'
import { FeedHead, NoChannel } from '../feed/feed-head'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { FileTile } from './file-tile'

/** The files of a channel, newest first. */
export default function ChannelFilesPage({ channelId }: { channelId: string }) {
  const query = new URLSearchParams(useSearch())
  const channels = useChannels()
  const channel = useChannel(channelId)
  if (channels.data && !channel) return <NoChannel />
  query.delete('image')
  return (
    <main className="page feed" id="main">
      <FeedHead title={channel ? `Files in ${channel.name}` : 'Files'} heading={channel?.name} channel={channel}>
        <FeedFilters query={query} channelId={channelId} />
      </FeedHead>
      <Files place={{ channel_id: channelId }} />
    </main>
  )
}

function Files({ place }: { place: FilePlace }) {
  const from = useStartCursor(filesKey(place))
  const files = useFiles(place, from)
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
