import { type ReactNode, Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { lazyLoad } from '../../parts/lazy-load'
import { Empty } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'

/** The menu is loaded later, because the first page does not need it. */
const ChannelTools = lazyLoad(async () => ({ default: (await import('./channel-tools')).ChannelTools }), 'soon')

interface Props {
  title: string
  /** What the page shows as its title, if it is not the same. */
  heading?: string
  channel: Channel | undefined
  /** The tabs. */
  children: ReactNode
}

/** The head of a feed and of the files of a channel. It stays visible while scrolling. */
export function FeedHead({ title, heading, channel, children }: Props) {
  const [, navigate] = useLocation()
  const { writeDeniedReason } = usePermissions()
  return (
    <div className="feed-head">
      <div className="page-head">
        <div className="row feed-title">
          <PageTitle title={title}>{heading}</PageTitle>
          {channel?.is_private && <span className="chip">Private</span>}
        </div>
        <div className="row">
          {channel && (
            <Suspense>
              <ChannelTools channel={channel} />
            </Suspense>
          )}
          <Button
            icon="plus"
            variant="primary"
            disabledReason={writeDeniedReason}
            onClick={() => navigate(paths.newPost(channel?.id))}
          >
            New post
          </Button>
        </div>
      </div>
      {channel?.description && (
        <p className="channel-description" dir="auto">
          {channel.description}
        </p>
      )}
      {children}
    </div>
  )
}

export const NoChannel = () => (
  <main className="page" id="main">
    <PageTitle title="Not found" isNotFound />
    <Empty title="Channel not found" action={<Link href={paths.channels}>All channels</Link>}>
      It may have been archived, or it is private and you are not a member.
    </Empty>
  </main>
)
